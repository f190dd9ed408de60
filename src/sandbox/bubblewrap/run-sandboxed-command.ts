import { existsSync } from "node:fs";
import { normalize, sep } from "node:path";
import * as Effect from "effect/Effect";
import { SandboxError } from "../../types/errors.ts";
import { prlimitArguments } from "../child/find-program.ts";
import { withScratchFolder } from "../child/scratch-folder.ts";
import { BoundedBytes, startChild, type WatchedLimit, watchLimits } from "../child/start-child.ts";
import { namespaceArguments, rootProblem } from "./namespace-arguments.ts";
import { type Bubblewrap, probeBubblewrap } from "./probe-bubblewrap.ts";

export interface SandboxedCommandLimits {
  /** Milliseconds. Unless set: 30,000. */
  readonly wallMs: number;
  /** Of all its processes. Unless set: 30,000. */
  readonly cpuMs: number;
  /** Of all its processes. Unless set: 2 GiB. */
  readonly memoryBytes: number;
  /** Per stream; the rest is dropped. Unless set: 1 MiB. */
  readonly outputBytes: number;
  /** Unless set: 256. */
  readonly processes: number;
  /** Of one file. Unless set: 100 MiB. */
  readonly fileBytes: number;
}

export interface SandboxedCommandOptions {
  /** Must be inside a root. Unless set: an empty folder that is removed afterward. */
  readonly cwd?: string;
  /** In addition to the system's programs. Unless set: none. */
  readonly readOnly?: readonly string[];
  /** Unless set: none. */
  readonly writable?: readonly string[];
  /** The host network. Unless set: false. */
  readonly network?: boolean;
  /** In addition to PATH, HOME and LANG, which they may override. Unless set: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Unless set: empty. */
  readonly stdin?: string | Uint8Array;
  readonly limits?: Partial<SandboxedCommandLimits>;
}

/** The output is untrusted content. */
export interface SandboxedCommandResult {
  /** 128 plus the signal number if a signal ended it; null if the host stopped it. */
  readonly code: number | null;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  readonly isCut: boolean;
  /** Large allocations fail inside the command and are not reported here. */
  readonly stoppedBy?: WatchedLimit | "output";
  readonly wallMs: number;
}

export const defaultCommandLimits: SandboxedCommandLimits = Object.freeze({
  wallMs: 30_000,
  cpuMs: 30_000,
  memoryBytes: 2 * 1024 * 1024 * 1024,
  outputBytes: 1024 * 1024,
  processes: 256,
  fileBytes: 100 * 1024 * 1024,
});

/** A command that writes this many times its output limit is stopped. */
const floodFactor = 64;

/** SIGXCPU and SIGXFSZ. A command that exits with them affects only its own result. */
const limitByExitCode: Readonly<Record<number, "cpu" | "files">> = { 152: "cpu", 153: "files" };

/**
 * Runs a command without a shell. Only the system's programs and the given roots are visible; there is no
 * network and no other process. Fails if bubblewrap is missing or did not pass its probe.
 */
export const runSandboxedCommand = (
  argv: readonly string[],
  options: SandboxedCommandOptions = {},
): Effect.Effect<SandboxedCommandResult, SandboxError> =>
  Effect.gen(function* () {
    const wrong = problemOf(argv, options);
    if (wrong !== undefined) return yield* new SandboxError("sandbox_failed", wrong, { ran: false });
    const programs = yield* probeBubblewrap;
    const { cwd } = options;
    return cwd === undefined
      ? yield* withScratchFolder((folder) => runInBubblewrap(programs, argv, options, folder, folder))
      : yield* runInBubblewrap(programs, argv, options, cwd);
  });

const problemOf = (argv: readonly string[], options: SandboxedCommandOptions): string | undefined => {
  if (argv.length === 0 || argv[0] === "") return "The command is empty. Its first word must be the program.";
  const words = [...argv, ...Object.entries(options.env ?? {}).flat()];
  if (words.some((word) => word.includes("\0")))
    return "An argument of the command contains a NUL character.";
  const roots = [...(options.readOnly ?? []), ...(options.writable ?? [])];
  for (const root of roots) {
    const why = rootProblem(root);
    if (why !== undefined) return `A folder of the command is refused: ${why}.`;
  }
  const { cwd } = options;
  if (cwd !== undefined && !(existsSync(cwd) && roots.some((root) => isWithin(cwd, root))))
    return `The command cannot start in ${JSON.stringify(cwd)}: the sandbox does not allow this folder.`;
  return undefined;
};

const isWithin = (path: string, root: string): boolean =>
  `${normalize(path)}${sep}`.startsWith(`${normalize(root).replace(/\/+$/, "")}${sep}`);

const runInBubblewrap = (
  { bwrap, prlimit }: Bubblewrap,
  argv: readonly string[],
  options: SandboxedCommandOptions,
  cwd: string,
  scratch?: string,
): Effect.Effect<SandboxedCommandResult, SandboxError> => {
  const limits = { ...defaultCommandLimits, ...options.limits };
  const { outside, inside } = splitEnvironment({
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: scratch ?? "/tmp",
    LANG: "C.UTF-8",
    ...options.env,
  });
  const { readOnly, network } = options;
  const writable = [...(options.writable ?? []), ...(scratch === undefined ? [] : [scratch])];
  const args = [
    ...namespaceArguments({
      readOnly,
      writable,
      cwd,
      network,
      setInside: inside,
      temporaryBytes: limits.memoryBytes,
    }),
    prlimit,
    ...prlimitArguments({
      data: limits.memoryBytes,
      cpuSeconds: Math.ceil(limits.cpuMs / 1000) + 1,
      openFiles: 1_024,
      // Threads count too, and those of root do not. The watcher counts processes.
      processes: limits.processes * 8,
      fileBytes: limits.fileBytes,
    }),
    ...argv,
  ];
  return Effect.callback((resume) => {
    const startedAt = performance.now();
    const [stdout, stderr] = [new BoundedBytes(limits.outputBytes), new BoundedBytes(limits.outputBytes)];
    let stoppedBy: SandboxedCommandResult["stoppedBy"];
    const stop = (limit: WatchedLimit | "output"): void => {
      stoppedBy ??= limit;
      child.stop();
    };
    const keep = (kept: BoundedBytes) => (chunk: Buffer) => {
      kept.push(chunk);
      if (kept.receivedLength > limits.outputBytes * floodFactor) stop("output");
    };
    const child = startChild(
      { file: bwrap, args, cwd: "/", env: outside, hasOwnGroups: true },
      {
        onOutput: keep(stdout),
        onError: keep(stderr),
        onEnd: (end) => {
          watch?.end();
          if (end.problem !== undefined) return resume(failNotStarted(end.problem));
          const reached = stoppedBy ?? (end.code === null ? undefined : limitByExitCode[end.code]);
          resume(
            Effect.succeed({
              code: stoppedBy === undefined ? end.code : null,
              stdout: stdout.bytes(),
              stderr: stderr.bytes(),
              isCut: stdout.isCut || stderr.isCut,
              ...(reached === undefined ? {} : { stoppedBy: reached }),
              wallMs: performance.now() - startedAt,
            }),
          );
        },
      },
    );
    const watch = child.pid === undefined ? undefined : watchLimits(child.pid, limits, stop);
    if (options.stdin !== undefined) child.write(options.stdin);
    child.endInput();
    return Effect.sync(() => {
      watch?.end();
      child.kill();
    });
  });
};

const failNotStarted = (problem: string): Effect.Effect<never, SandboxError> =>
  Effect.fail(
    new SandboxError(
      "sandbox_failed",
      problem === "E2BIG"
        ? "The command cannot be started: its arguments are too long. Pass the data in a file or on standard input instead."
        : `The sandbox of the command cannot be started (${problem}).`,
      { ran: false },
    ),
  );

/**
 * These would affect bwrap itself. The others go through its environment, so that no process list shows them.
 */
const loaderVariables = /^(?:LD_|GLIBC_|GCONV_|MALLOC_)/;

export const splitEnvironment = (
  env: Readonly<Record<string, string>>,
): Readonly<Record<"outside" | "inside", Readonly<Record<string, string>>>> => {
  const all = Object.entries(env);
  return {
    outside: Object.fromEntries(all.filter(([name]) => !loaderVariables.test(name))),
    inside: Object.fromEntries(all.filter(([name]) => loaderVariables.test(name))),
  };
};
