import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import { runSandboxedCommand } from "../../bubblewrap/run-sandboxed-command.ts";
import { resolveFolders } from "../files/allowed-folders.ts";
import { refusedCallError } from "../refused-call-error.ts";
import type { SkillSettings } from "../skill-settings.ts";
import { commandProblem, type ShellInput } from "./command-problem.ts";
import { type CommandRunner, Commands } from "./commands.ts";

export const commandTimeoutMs = 30_000;
const outputBytes = 128 * 1024;

export const shellRunner = (settings: SkillSettings) => (input: ShellInput) =>
  Effect.gen(function* () {
    const reason = commandProblem(input, settings);
    if (reason !== undefined) return yield* Effect.fail(refusedCallError(reason));
    const { run } = Option.getOrElse(yield* Effect.serviceOption(Commands), () => bubblewrapRunner);
    const { command, args = [], stdin } = input;
    const writable = yield* resolveFolders(settings.files.write);
    const readOnly = (yield* resolveFolders(settings.files.read)).filter(
      (folder) => !writable.includes(folder),
    );
    const [folder] = yield* resolveFolders([...settings.files.read, ...settings.files.write]);
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

const bubblewrapRunner: CommandRunner = {
  run: ({ command, args, stdin, readOnly, writable, folder, timeoutMs, outputBytes }) =>
    Effect.map(
      runSandboxedCommand([command, ...args], {
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
