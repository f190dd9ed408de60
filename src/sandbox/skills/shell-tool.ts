import type { AnyTool } from "../words/tool.ts";
import { builtIn } from "./built-in.ts";
import { lateCode } from "./late-code.ts";
import { flag, listOf, record, text } from "./schemas.ts";
import type { SkillSettings } from "./skill-settings.ts";

export const shell = (settings: SkillSettings): AnyTool =>
  builtIn({
    name: "shell",
    description: `Start one program with its arguments, isolated from the machine: it has no network, and only the granted folders. There is no shell: pipes, redirections, variables and globs mean nothing, and each argument is one word of the list. Granted commands: ${Object.keys(settings.commands).join(", ").slice(0, 500)}.`,
    input: record(
      {
        command: text("The program, by its name.", { minLength: 1, maxLength: 200 }),
        args: {
          ...listOf({ type: "string", maxLength: 10_000 }, "Its arguments, one word each."),
          maxItems: 200,
        },
        stdin: text("What it reads from its standard input.", { maxLength: 1_000_000 }),
      },
      ["command"],
    ),
    output: record(
      {
        exitCode: { type: ["integer", "null"], description: "0 is good; null where it was ended." },
        stdout: text("What it printed."),
        stderr: text("What it printed as errors."),
        cut: flag("Whether it printed more than is kept."),
        note: text("What else there is to know."),
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
    implementation: lateCode(
      () => import("./shell/run-command.ts"),
      ({ commandRunner }) => commandRunner(settings),
    ),
  });
