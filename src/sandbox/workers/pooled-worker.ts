import type { Worker } from "node:worker_threads";
import * as Effect from "effect/Effect";
import { SandboxError } from "../../types/errors.ts";
import { hardLimitGraceMs } from "../sandbox.ts";

/** How long a worker may take until it says that it is ready. Only a machine that hardly gets to it takes so long. */
const startTimeoutMs = 60_000;

/** A thread that does one thing after the other. */
export interface PooledWorker {
  readonly worker: Worker;
  /** False from the start of something until it is over in a way that leaves nothing behind. */
  isSound: boolean;
  /** Why it is gone, once it is. */
  gone: { readonly isOutOfMemory: boolean } | undefined;
}

/** Waits for the first message of a worker that was just made, by which it says that it is ready. */
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
      // Why names files of the operator's, which are nothing to a model.
      const told = { ran: false, detail: why };
      const error = new SandboxError("sandbox_failed", `${what} cannot be started.`, told);
      resume(Effect.andThen(terminateAndWait(started), Effect.fail(error)));
    };
    const alarm = setTimeout(() => fail("it did not get ready"), startTimeoutMs);
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

/** Ends a worker whatever it does, and tells when. It is not waited for forever, though code can always be stopped. */
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
