import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import { runCommand } from "../../sandbox/bubblewrap/command.ts";
import { realFolders } from "../files/grants.ts";
import { refuse } from "../refuse.ts";
import type { SkillSettings } from "../skill-settings.ts";
import { type CommandRunner, Commands } from "./commands.ts";
import { judgeCommand, type ShellInput } from "./judge-command.ts";

/** How long a command may take. */
export const commandTimeoutMs = 30_000;
const outputBytes = 128 * 1024;

export const commandRunner = (settings: SkillSettings) => (input: ShellInput) =>
  Effect.gen(function* () {
    const reason = judgeCommand(input, settings);
    if (reason !== undefined) return yield* Effect.fail(refuse(reason));
    const { run } = Option.getOrElse(yield* Effect.serviceOption(Commands), () => inBubblewrap);
    const { command, args = [], stdin } = input;
    const writable = yield* realFolders(settings.files.write);
    const readOnly = (yield* realFolders(settings.files.read)).filter((folder) => !writable.includes(folder));
    const [folder] = yield* realFolders([...settings.files.read, ...settings.files.write]);
    const result = yield* run({
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

/** Refuses where bubblewrap is missing or does not hold. */
const inBubblewrap: CommandRunner = {
  run: ({ command, args, stdin, readOnly, writable, folder, timeoutMs, outputBytes }) =>
    Effect.map(
      runCommand([command, ...args], {
        readOnly,
        writable,
        limits: { wallMs: timeoutMs, outputBytes },
        ...(folder === undefined ? {} : { cwd: folder }),
        ...(stdin === undefined ? {} : { stdin }),
      }),
      ({ code, stdout, stderr, isCut, stoppedBy }) => ({
        exitCode: code ?? undefined,
        stdout: Buffer.from(stdout).toString(),
        stderr: Buffer.from(stderr).toString(),
        isCut,
        isLate: stoppedBy === "time",
      }),
    ),
};
