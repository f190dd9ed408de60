import type { AnyTool } from "../../types/tool.ts";
import { builtInTool } from "./built-in-tool.ts";
import { lazyImplementation } from "./lazy-implementation.ts";
import { booleanField, listField, objectSchema, textField } from "./schema-fields.ts";
import type { SkillSettings } from "./skill-settings.ts";

export const shellTool = (settings: SkillSettings): AnyTool =>
  builtInTool({
    name: "shell",
    description: `Start a program with arguments. It is isolated from the machine: it has no network, and only the granted folders. It does not run in a shell: pipes, redirections, variables and globs have no effect, and each item of the list is one argument. Granted commands: ${Object.keys(settings.commands).join(", ").slice(0, 500)}.`,
    input: objectSchema(
      {
        command: textField("Name of the program.", { minLength: 1, maxLength: 200 }),
        args: {
          ...listField({ type: "string", maxLength: 10_000 }, "Arguments of the program, one per item."),
          maxItems: 200,
        },
        stdin: textField("Standard input of the program.", { maxLength: 1_000_000 }),
      },
      ["command"],
    ),
    output: objectSchema(
      {
        exitCode: {
          type: ["integer", "null"],
          description: "Exit code: 0 is success, null means that the program was stopped.",
        },
        stdout: textField("Standard output of the program."),
        stderr: textField("Standard error of the program."),
        cut: booleanField("Whether the output was truncated."),
        note: textField("Additional information."),
      },
      ["exitCode", "stdout", "stderr"],
    ),
    category: "code",
    risk: "high",
    timeout: 35_000,
    tags: ["untrusted"],
    annotations: {
      title: "Start a program",
      readOnly: false,
      idempotent: false,
      destructive: true,
      openWorld: false,
    },
    implementation: lazyImplementation(
      () => import("./shell/shell-runner.ts"),
      ({ shellRunner: commandRunner }) => commandRunner(settings),
    ),
  });
