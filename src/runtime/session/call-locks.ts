import * as Effect from "effect/Effect";
import type { RestoreInterruption } from "../../pipeline/maybe-effect.ts";
import type { Failure } from "../../types/failure.ts";

export const turnCancelledFailure: Pick<Failure, "code" | "message"> = {
  code: "cancelled",
  message: "The turn was cancelled while it waited for another turn of its session.",
};

/**
 * Locks for the calls of one session in this process. A repeated request for a running call, or one whose
 * approval is being requested, waits until the ledger has its outcome.
 */
export class CallLocks {
  readonly #waiters = new Map<string, Set<() => void>>();

  hold<A, E>(
    keys: readonly string[],
    signal: AbortSignal | undefined,
    body: () => Effect.Effect<A, E>,
  ): Effect.Effect<A, E | typeof turnCancelledFailure> {
    return Effect.uninterruptibleMask((interruptible) =>
      Effect.flatMap(
        this.#acquire(keys, signal, interruptible),
        (isTaken): Effect.Effect<A, E | typeof turnCancelledFailure> =>
          isTaken
            ? Effect.onExit(interruptible(Effect.suspend(body)), () => Effect.sync(() => this.#release(keys)))
            : Effect.fail(turnCancelledFailure),
      ),
    );
  }

  /** Takes all locks or none. Only waiting is interruptible. */
  #acquire(
    keys: readonly string[],
    signal: AbortSignal | undefined,
    interruptible: RestoreInterruption,
  ): Effect.Effect<boolean> {
    // Sorted, to prevent deadlocks.
    const wanted = [...new Set(keys)].sort();
    return Effect.suspend(() => {
      if (!wanted.some((key) => this.#waiters.has(key))) {
        for (const key of wanted) this.#waiters.set(key, new Set());
        return Effect.succeed(true);
      }
      return this.#acquireRest(wanted, 0, signal, interruptible);
    });
  }

  #acquireRest(
    wanted: readonly string[],
    at: number,
    signal: AbortSignal | undefined,
    interruptible: RestoreInterruption,
  ): Effect.Effect<boolean> {
    const key = wanted[at];
    if (key === undefined) return Effect.succeed(true);
    const releaseTaken = Effect.sync(() => this.#release(wanted.slice(0, at)));
    const taking = Effect.onInterrupt(interruptible(this.#acquireOne(key, signal)), () => releaseTaken);
    return Effect.flatMap(taking, (isTaken) =>
      isTaken ? this.#acquireRest(wanted, at + 1, signal, interruptible) : Effect.as(releaseTaken, false),
    );
  }

  #acquireOne(key: string, signal: AbortSignal | undefined): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      const waiting = this.#waiters.get(key);
      if (waiting === undefined) {
        this.#waiters.set(key, new Set());
        return Effect.succeed(true);
      }
      return Effect.callback<boolean>((resume) => {
        const settle = (isTaken: boolean): void => {
          waiting.delete(admit);
          signal?.removeEventListener("abort", stop);
          resume(Effect.succeed(isTaken));
        };
        const admit = (): void => settle(true);
        const stop = (): void => settle(false);
        if (signal?.aborted === true) return stop();
        waiting.add(admit);
        signal?.addEventListener("abort", stop, { once: true });
        return Effect.sync(() => {
          waiting.delete(admit);
          signal?.removeEventListener("abort", stop);
        });
      });
    });
  }

  #release(keys: readonly string[]): void {
    for (const key of new Set(keys)) {
      const [next] = this.#waiters.get(key) ?? [];
      if (next === undefined) this.#waiters.delete(key);
      else next();
    }
  }
}
