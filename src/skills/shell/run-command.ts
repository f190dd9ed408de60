import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import { SandboxError } from "../../words/errors.ts";
import { realFolders } from "../files/grants.ts";
import { refuse } from "../refuse.ts";
import type { SkillSettings } from "../skill-settings.ts";
import { Commands } from "./commands.ts";
import { judgeCommand, type ShellInput } from "./judge-command.ts";

/** How long a command may take. */
export const commandTimeoutMs = 30_000;
const outputBytes = 128 * 1024;

export const commandRunner = (settings: SkillSettings) => (input: ShellInput) =>
  Effect.gen(function* () {
    const reason = judgeCommand(input, settings);
    if (reason !== undefined) return yield* Effect.fail(refuse(reason));
    const runner = yield* Effect.serviceOption(Commands);
    if (Option.isNone(runner)) return yield* Effect.fail(noRunner);
    const { command, args = [], stdin } = input;
    const writable = yield* realFolders(settings.files.write);
    const readOnly = (yield* realFolders(settings.files.read)).filter((folder) => !writable.includes(folder));
    const [folder] = yield* realFolders([...settings.files.read, ...settings.files.write]);
    const result = yield* runner.value.run({
      command,
      args,
      timeoutMs: commandTimeoutMs,
      outputBytes,
      readOnly,
      writable,
      ...(folder === undefined ? {} : { folder }),
      ...(stdin === undefined ? {} : { stdin }),
    });
    const { exitCode, stdout, stderr, isCut, isLate } = result;
    return {
      exitCode: exitCode ?? null,
      stdout,
      stderr,
      ...(isCut ? { cut: true } : {}),
      ...(isLate ? { note: `It was ended after ${commandTimeoutMs} ms.` } : {}),
    };
  });

const noRunner = new SandboxError(
  "sandbox_failed",
  "Nothing here can isolate commands, and without isolation none is started. Install bubblewrap (bwrap), which needs Linux.",
  { ran: false },
);
