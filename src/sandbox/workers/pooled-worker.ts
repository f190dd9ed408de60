import type { Worker } from "node:worker_threads";
import * as Effect from "effect/Effect";
import { SandboxError } from "../../types/errors.ts";
import { hardLimitGraceMs } from "../sandbox.ts";

/** Only an overloaded machine takes this long. */
const startTimeoutMs = 60_000;

export interface PooledWorker {
  readonly worker: Worker;
  /** Whether the worker can be reused. False while a task runs. */
  isSound: boolean;
  /** Set when the worker has ended. */
  gone: { readonly isOutOfMemory: boolean } | undefined;
}

/** The first message of a worker reports that it is ready. */
export const startWorker = (what: string, make: () => Worker): Effect.Effect<PooledWorker, SandboxError> =>
  Effect.callback((resume) => {
    const worker = make();
    const started: PooledWorker = { worker, isSound: true, gone: undefined };
    const settle = (): void => {
      clearTimeout(alarm);
      worker.off("message", onReady);
    };
    const fail = (why: string): void => {
      settle();
      // File paths must not reach a model.
      const details = { ran: false, detail: why };
      const error = new SandboxError("sandbox_failed", `${what} cannot be started.`, details);
      resume(Effect.andThen(terminateAndWait(started), Effect.fail(error)));
    };
    const alarm = setTimeout(() => fail("it was not ready in time"), startTimeoutMs);
    const onReady = (): void => {
      settle();
      resume(Effect.succeed(started));
    };
    worker.on("error", (error: Error & { readonly code?: unknown }) => {
      started.gone ??= { isOutOfMemory: error.code === "ERR_WORKER_OUT_OF_MEMORY" };
      fail(error.message);
    });
    worker.on("exit", () => {
      started.gone ??= { isOutOfMemory: false };
      fail("it ended");
    });
    worker.on("message", onReady);
    return Effect.suspend(() => {
      settle();
      return terminateAndWait(started);
    });
  });

/** Calls `over` when the worker has ended, or after the grace period. */
export const terminateWorker = (pooled: PooledWorker, over: () => void): void => {
  pooled.isSound = false;
  if (pooled.gone !== undefined) {
    over();
    return;
  }
  const alarm = setTimeout(over, hardLimitGraceMs);
  pooled.worker.once("exit", () => {
    clearTimeout(alarm);
    over();
  });
  void pooled.worker.terminate();
};

export const terminateAndWait = (pooled: PooledWorker): Effect.Effect<void> =>
  Effect.callback((resume) => terminateWorker(pooled, () => resume(Effect.void)));
