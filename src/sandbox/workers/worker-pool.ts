import * as Effect from "effect/Effect";
import { SandboxError } from "../../types/errors.ts";
import { type PooledWorker, terminateAndWait } from "./pooled-worker.ts";

export interface WorkerPoolOptions {
  readonly most: number;
  /** Further tasks are refused. */
  readonly queue: number;
  readonly idleMs: number;
}

export interface WorkerPool<W extends PooledWorker> {
  /** FIFO. A worker that is not sound afterward is terminated. */
  readonly use: <A, E>(work: (pooled: W) => Effect.Effect<A, E>) => Effect.Effect<A, E | SandboxError>;
  readonly close: Effect.Effect<void>;
}

type RestoreInterruptible = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>;

interface IdleWorker<W> {
  readonly pooled: W;
  readonly alarm: NodeJS.Timeout;
}

/** `what` names the workers in error messages. */
export const workerPool = <W extends PooledWorker>(
  what: string,
  start: Effect.Effect<W, SandboxError>,
  { most, queue, idleMs }: WorkerPoolOptions,
): WorkerPool<W> => {
  const idle: IdleWorker<W>[] = [];
  const all = new Set<W>();
  const waiting: ((permit: Effect.Effect<void, SandboxError>) => void)[] = [];
  /** Permits in use. */
  let busy = 0;
  let isClosed = false;

  /** A released permit goes directly to the next waiter, which keeps the order. */
  const turn: Effect.Effect<void, SandboxError> = Effect.callback((resume) => {
    if (isClosed) return resume(Effect.fail(poolClosedError(what)));
    if (busy < most) {
      busy++;
      return resume(Effect.void);
    }
    if (waiting.length >= queue) return resume(Effect.fail(queueFullError(what, queue)));
    waiting.push(resume);
    return Effect.sync(() => {
      const at = waiting.indexOf(resume);
      if (at >= 0) waiting.splice(at, 1);
      else releasePermit();
    });
  });

  const releasePermit = (): void => {
    const next = waiting.shift();
    if (next === undefined) busy--;
    else next(Effect.void);
  };

  const idleWorker = (): W | undefined => {
    for (let kept = idle.pop(); kept !== undefined; kept = idle.pop()) {
      clearTimeout(kept.alarm);
      if (kept.pooled.gone === undefined) return kept.pooled;
      all.delete(kept.pooled);
    }
    return undefined;
  };

  const end = (pooled: W): Effect.Effect<void> =>
    Effect.ensuring(
      terminateAndWait(pooled),
      Effect.sync(() => all.delete(pooled)),
    );

  const keepIdle = (pooled: W): void => {
    // An idle worker does not keep the process alive.
    pooled.worker.unref();
    const alarm = setTimeout(() => {
      idle.splice(
        idle.findIndex((each) => each.pooled === pooled),
        1,
      );
      Effect.runFork(end(pooled));
    }, idleMs);
    alarm.unref();
    idle.push({ pooled, alarm });
  };

  const acquire = (restore: RestoreInterruptible): Effect.Effect<W, SandboxError> => {
    const pooled = idleWorker();
    pooled?.worker.ref();
    if (pooled !== undefined) return Effect.succeed(pooled);
    return Effect.flatMap(restore(start), (started) => {
      all.add(started);
      return isClosed
        ? Effect.andThen(end(started), Effect.fail(poolClosedError(what)))
        : Effect.succeed(started);
    });
  };

  const release = (pooled: W): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (!pooled.isSound || isClosed || pooled.gone !== undefined) return end(pooled);
      keepIdle(pooled);
      return Effect.void;
    }).pipe(Effect.ensuring(Effect.sync(releasePermit)));

  return {
    // Permits and workers are always released.
    use: (work) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(restore(turn), () =>
          Effect.suspend(() => acquire(restore)).pipe(
            Effect.onError(() => Effect.sync(releasePermit)),
            Effect.flatMap((pooled) =>
              Effect.ensuring(restore(Effect.suspend(() => work(pooled))), release(pooled)),
            ),
          ),
        ),
      ),
    close: Effect.suspend(() => {
      isClosed = true;
      for (const { alarm } of idle.splice(0)) clearTimeout(alarm);
      for (const resume of waiting.splice(0)) resume(Effect.fail(poolClosedError(what)));
      return Effect.forEach([...all], end, { concurrency: "unbounded", discard: true });
    }),
  };
};

const poolError = (message: string): SandboxError =>
  new SandboxError("sandbox_failed", message, { ran: false, retryable: true });

const queueFullError = (what: string, queue: number): SandboxError =>
  poolError(`${what} is busy, and its queue of ${queue} is full. Try again later.`);

const poolClosedError = (what: string): SandboxError =>
  new SandboxError("sandbox_failed", `${what} was closed.`, { ran: false });
