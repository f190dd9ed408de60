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
        content: textField("Content of the file."),
        encoding: enumField("Default: utf-8.", ["utf-8", "base64"]),
      },
      ["path", "content"],
    ),
    description,
  );

export const codeExecuteTool = (settings: SkillSettings): AnyTool =>
  builtInTool({
    name: "code-execute",
    description:
      "Run a short program in an isolated sandbox, to compute, parse or transform text. JavaScript and TypeScript are the body of an async function: use `return` for the value, and read the input from `input`. In Python the value of the last line is returned. console.log and print are captured. The program has no network, and only the files that you pass.",
    input: objectSchema(
      {
        language: enumField("Language of the program.", ["javascript", "typescript", "python"]),
        source: textField("The program.", { minLength: 1 }),
        input: { description: "Any JSON value. The program reads it as `input`." },
        files: {
          ...filesSchema("Files to put into the program's folder, if the engine has one."),
          maxItems: 64,
        },
      },
      ["language", "source"],
    ),
    output: objectSchema(
      {
        status: enumField("error: the program threw; stopped: it reached a limit; lost: the engine failed.", [
          "done",
          "error",
          "stopped",
          "lost",
        ]),
        value: { description: "The returned value." },
        error: {
          type: "object",
          description: "The error, with the line of the program if it is known.",
        },
        output: textField("What the program printed."),
        outputCut: booleanField("Whether the output was truncated."),
        files: filesSchema("Files that the program left in its folder."),
        engine: textField("Engine that ran the program."),
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
