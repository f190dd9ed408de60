import type { AnyTool } from "../../types/tool.ts";
import { defaultLimits } from "../sandbox.ts";
import { builtInTool } from "./built-in-tool.ts";
import { lazyImplementation } from "./lazy-implementation.ts";
import {
  booleanField,
  enumField,
  integerField,
  listField,
  objectSchema,
  textField,
} from "./schema-fields.ts";
import type { SkillSettings } from "./skill-settings.ts";

const filesSchema = (description: string) =>
  listField(
    objectSchema(
      {
        path: textField("Relative path in the program's folder.", { minLength: 1, maxLength: 200 }),
        content: textField("Its content."),
        encoding: enumField("utf-8 unless given.", ["utf-8", "base64"]),
      },
      ["path", "content"],
    ),
    description,
  );

export const codeExecuteTool = (settings: SkillSettings): AnyTool =>
  builtInTool({
    name: "code-execute",
    description:
      "Run a short program in a sandbox that reaches nothing outside: to compute, to parse, to transform text. JavaScript and TypeScript are the body of an async function: `return` gives the value, and `input` is what was given as input. In Python the value is that of the last line. console.log and print are captured. There is no network, and files are only those that are given.",
    input: objectSchema(
      {
        language: enumField("What the program is written in.", ["javascript", "typescript", "python"]),
        source: textField("The program.", { minLength: 1 }),
        input: { description: "Any JSON, which the program finds as `input`." },
        files: {
          ...filesSchema("Files that the program finds in its folder, where the engine has one."),
          maxItems: 64,
        },
      },
      ["language", "source"],
    ),
    output: objectSchema(
      {
        status: enumField("error: it threw; stopped: a limit was reached; lost: its engine broke.", [
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
        output: textField("What it printed."),
        outputCut: booleanField("Whether it printed more than is kept."),
        files: filesSchema("Files that it left in its folder."),
        engine: textField("What ran it."),
        usage: objectSchema({ wallMs: integerField("", 0), cpuMs: integerField("", 0) }, ["wallMs", "cpuMs"]),
      },
      ["status", "output", "engine", "usage"],
    ),
    category: "code",
    risk: "high",
    // Longer than the program's limit, so that the sandbox reports the timeout.
    timeout: (settings.code.limits.wallMs ?? defaultLimits.wallMs) + 5_000,
    tags: ["untrusted"],
    annotations: {
      title: "Run a program",
      readOnly: false,
      idempotent: true,
      destructive: false,
      openWorld: false,
    },
    implementation: lazyImplementation(
      () => import("./code/code-executor.ts"),
      ({ codeExecutor }) => codeExecutor(settings),
    ),
  });
