import * as Effect from "effect/Effect";
import type { Scope } from "effect/Scope";
import * as Semaphore from "effect/Semaphore";
import { SandboxError } from "../../types/errors.ts";
import {
  defaultLimits,
  type ProgramResult,
  type Sandbox,
  type SandboxLimits,
  type SandboxProgram,
} from "../sandbox.ts";
import { type WorkerPool, type WorkerPoolOptions, workerPool } from "../workers/worker-pool.ts";
import { type GuestWorker, startGuestWorker } from "./guest-worker.ts";
import { runInGuestWorker } from "./run-in-guest-worker.ts";

const defaultPoolOptions = { most: 8, queue: 1_000, idleMs: 30_000 };

interface GuestWorkers {
  readonly pool: WorkerPool<GuestWorker>;
  readonly calling: Semaphore.Semaphore;
}

/** Workers start with the first program. */
export const openEngine = (
  options: Partial<WorkerPoolOptions> = {},
): Effect.Effect<Sandbox, SandboxError, Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => openWorkers({ ...defaultPoolOptions, ...options })),
      ({ pool }) => pool.close,
    ),
    (workers): Sandbox => ({
      engine: "quickjs",
      languages: ["javascript", "typescript"],
      run: (program) => runInWorker(workers, program),
      close: () => Effect.runPromise(workers.pool.close),
    }),
  );

/**
 * A program keeps its worker while its calls run, and a call may run another program. A quarter of the
 * workers is reserved for programs without calls.
 */
const openWorkers = (options: WorkerPoolOptions): GuestWorkers => ({
  pool: workerPool("The JavaScript engine", startGuestWorker, options),
  calling: Semaphore.makeUnsafe(Math.max(1, Math.floor((options.most * 3) / 4))),
});

const runInWorker = (
  { pool, calling }: GuestWorkers,
  program: SandboxProgram,
): Effect.Effect<ProgramResult, SandboxError> =>
  Effect.suspend(() => {
    const limits = { ...defaultLimits, ...program.limits };
    if (Buffer.byteLength(program.source) > limits.sourceBytes)
      return Effect.succeed(sourceTooLongResult(limits));
    if (Object.keys(program.files ?? {}).length > 0) return Effect.fail(invalidProgramError(noFilesMessage));
    const input = toJson(program.input);
    if (input === undefined) return Effect.fail(invalidProgramError("The program's input is not JSON."));
    const run = pool.use((guest) => {
      program.onStart?.();
      return runInGuestWorker(guest, program, input, limits);
    });
    return (program.functions ?? []).length > 0 ? calling.withPermits(1)(run) : run;
  });

const toJson = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value ?? null);
  } catch {
    return undefined;
  }
};

const noFilesMessage = 'The engine "quickjs" has no files. Pass the data as the input of the program.';

const invalidProgramError = (why: string): SandboxError =>
  new SandboxError("sandbox_failed", why, { ran: false });

const sourceTooLongResult = ({ sourceBytes }: SandboxLimits): ProgramResult => ({
  ending: { kind: "stopped", limit: "source", message: `The source is longer than ${sourceBytes} bytes.` },
  logs: [],
  logsCut: false,
  files: {},
  usage: { wallMs: 0, cpuMs: 0, calls: 0 },
});
