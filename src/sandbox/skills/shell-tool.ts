import type { AnyTool } from "../../types/tool.ts";
import { builtInTool } from "./built-in-tool.ts";
import { lazyImplementation } from "./lazy-implementation.ts";
import { booleanField, listField, objectSchema, textField } from "./schema-fields.ts";
import type { SkillSettings } from "./skill-settings.ts";

export const shellTool = (settings: SkillSettings): AnyTool =>
  builtInTool({
    name: "shell",
    description: `Start one program with its arguments, isolated from the machine: it has no network, and only the granted folders. There is no shell: pipes, redirections, variables and globs mean nothing, and each argument is one word of the list. Granted commands: ${Object.keys(settings.commands).join(", ").slice(0, 500)}.`,
    input: objectSchema(
      {
        command: textField("The program, by its name.", { minLength: 1, maxLength: 200 }),
        args: {
          ...listField({ type: "string", maxLength: 10_000 }, "Its arguments, one word each."),
          maxItems: 200,
        },
        stdin: textField("What it reads from its standard input.", { maxLength: 1_000_000 }),
      },
      ["command"],
    ),
    output: objectSchema(
      {
        exitCode: { type: ["integer", "null"], description: "0 is good; null where it was ended." },
        stdout: textField("What it printed."),
        stderr: textField("What it printed as errors."),
        cut: booleanField("Whether it printed more than is kept."),
        note: textField("What else there is to know."),
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
