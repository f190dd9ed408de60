import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import type { SandboxError } from "../../../types/errors.ts";
import { runSandboxedCommand } from "../../bubblewrap/run-sandboxed-command.ts";
import { resolveFolders } from "../files/allowed-folders.ts";
import { refusedCallError } from "../refused-call-error.ts";
import type { SkillSettings } from "../skill-settings.ts";

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
      ...(isLate ? { note: `The program was stopped after ${commandTimeoutMs} ms.` } : {}),
    };
  });

/** Starts without a shell, network and inherited environment variables. */
export interface CommandRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly stdin?: string;
  /** Real paths. `folder` is the working directory and one of them. */
  readonly readOnly: readonly string[];
  readonly writable: readonly string[];
  readonly folder?: string;
  readonly timeoutMs: number;
  /** Per output stream. */
  readonly outputBytes: number;
}

interface CommandResult {
  /** Undefined if a signal ended the program. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly isCut: boolean;
  readonly isLate: boolean;
}

/** Starts programs only in isolation. */
interface CommandRunner {
  readonly run: (request: CommandRequest) => Effect.Effect<CommandResult, SandboxError>;
}

/** Replaces bubblewrap for `shell`. */
export class Commands extends Context.Service<Commands, CommandRunner>()("haft/Commands") {}

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

export interface ShellInput {
  readonly command: string;
  readonly args?: readonly string[];
  readonly stdin?: string;
}

type AllowedCommands = Pick<SkillSettings, "commands" | "blockedCommands">;

const commandProblem = ({ command, args = [] }: ShellInput, granted: AllowedCommands): string | undefined => {
  const words = [command, ...args];
  const blocked = granted.blockedCommands.find((entry) => isBlocked(words, entry));
  if (blocked !== undefined) {
    return `${JSON.stringify(blocked)} is in config.security.blockedCommands, so it was not started.`;
  }
  if (words.some((word) => word.includes("\0")))
    return "An argument of the command contains a NUL character.";
  const names = Object.keys(granted.commands);
  if (!names.includes(command)) {
    const among = names.length === 0 ? "none is" : `these are: ${names.join(", ")}`;
    const shown = JSON.stringify(command.slice(0, 80));
    return `The command ${shown} is not granted; ${among}. An operator can grant it: config: { skills: { commands: { ${shown}: {} } } }.`;
  }
  const options = granted.commands[command]?.args ?? [];
  const refused = args.find(
    (arg) => arg.startsWith("-") && !options.some((option) => matchesOption(arg, option)),
  );
  if (refused === undefined) return undefined;
  const shown = JSON.stringify(refused.slice(0, 80));
  return `The option ${shown} of ${command} is not granted: arguments that begin with "-" are options. An operator can grant it: config: { skills: { commands: { ${JSON.stringify(command)}: { args: [${shown}] } } } }.`;
};

/** One that ends in `=` allows any value. */
const matchesOption = (arg: string, option: string): boolean =>
  arg === option || (option.startsWith("--") && option.endsWith("=") && arg.startsWith(option));

/** Independent of white space and position. */
const isBlocked = (words: readonly string[], entry: string): boolean => {
  const sought = collapse(entry);
  if (sought === "") return false;
  const inWord = words.some((word) => collapse(word) === sought || word.split(/[\\/]/).at(-1) === sought);
  if (inWord) return true;
  // A plain word such as "sudo" must match a whole word.
  if (/^[\w.-]+$/.test(sought)) return collapse(words.join(" ")).split(" ").includes(sought);
  return (
    collapse(words.join(" ")).includes(sought) ||
    withoutSpaces(words.join(" ")).includes(withoutSpaces(entry))
  );
};

const collapse = (text: string): string => text.replace(/\s+/g, " ").trim();
const withoutSpaces = (text: string): string => text.replace(/\s+/g, "");
