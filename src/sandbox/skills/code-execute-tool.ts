import { defaultLimits } from "../sandbox/sandbox.ts";
import type { AnyTool } from "../words/tool.ts";
import { builtIn } from "./built-in.ts";
import { lateCode } from "./late-code.ts";
import { flag, listOf, oneOf, record, text, whole } from "./schemas.ts";
import type { SkillSettings } from "./skill-settings.ts";

const files = (description: string) =>
  listOf(
    record(
      {
        path: text("Relative path in the program's folder.", { minLength: 1, maxLength: 200 }),
        content: text("Its content."),
        encoding: oneOf("utf-8 unless given.", ["utf-8", "base64"]),
      },
      ["path", "content"],
    ),
    description,
  );

export const codeExecute = (settings: SkillSettings): AnyTool =>
  builtIn({
    name: "code-execute",
    description:
      "Run a short program in a sandbox that reaches nothing outside: to compute, to parse, to transform text. JavaScript and TypeScript are the body of an async function: `return` gives the value, and `input` is what was given as input. In Python the value is that of the last line. console.log and print are captured. There is no network, and files are only those that are given.",
    input: record(
      {
        language: oneOf("What the program is written in.", ["javascript", "typescript", "python"]),
        source: text("The program.", { minLength: 1 }),
        input: { description: "Any JSON, which the program finds as `input`." },
        files: {
          ...files("Files that the program finds in its folder, where the engine has one."),
          maxItems: 64,
        },
      },
      ["language", "source"],
    ),
    output: record(
      {
        status: oneOf("error: it threw; stopped: a limit was reached; lost: its engine broke.", [
          "done",
          "error",
          "stopped",
          "lost",
        ]),
        value: { description: "What it returned." },
        error: {
          type: "object",
          description: "What went wrong, with the line of the program where that is known.",
        },
        output: text("What it printed."),
        outputCut: flag("Whether it printed more than is kept."),
        files: files("Files that it left in its folder."),
        engine: text("What ran it."),
        usage: record({ wallMs: whole("", 0), cpuMs: whole("", 0) }, ["wallMs", "cpuMs"]),
      },
      ["status", "output", "engine", "usage"],
    ),
    category: "code",
    risk: "high",
    // A little more than the program may take, so that its own ending is the one that is told.
    timeout: (settings.code.limits.wallMs ?? defaultLimits.wallMs) + 5_000,
    tags: ["untrusted"],
    annotations: {
      title: "Run a program",
      readOnly: false,
      idempotent: true,
      destructive: false,
      openWorld: false,
    },
    implementation: lateCode(
      () => import("./code/execute-code.ts"),
      ({ codeExecutor }) => codeExecutor(settings),
    ),
  });
