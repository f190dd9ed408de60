import * as Effect from "effect/Effect";
import type { Interruptible } from "../../call/eventually.ts";
import type { Failure } from "../../words/failure.ts";

export const cutOff: Pick<Failure, "code" | "message"> = {
  code: "cancelled",
  message: "The turn was cancelled before its session was free.",
};

/**
 * Locks for the calls of one session in this process. A second request for a call that runs, or whose approval is being
 * requested, waits until the ledger has its outcome.
 */
export class CallLocks {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Runs `body` under the locks of these calls. Fails with `cutOff` if the signal is aborted before they are free. */
  hold<A, E>(
    keys: readonly string[],
    signal: AbortSignal | undefined,
    body: () => Effect.Effect<A, E>,
  ): Effect.Effect<A, E | typeof cutOff> {
    return Effect.uninterruptibleMask((interruptible) =>
      Effect.flatMap(
        this.#take(keys, signal, interruptible),
        (isTaken): Effect.Effect<A, E | typeof cutOff> =>
          isTaken
            ? Effect.onExit(interruptible(Effect.suspend(body)), () => Effect.sync(() => this.#release(keys)))
            : Effect.fail(cutOff),
      ),
    );
  }

  /** Takes all of them or, if the signal is aborted before they are free, none. Only the waiting can be interrupted. */
  #take(
    keys: readonly string[],
    signal: AbortSignal | undefined,
    interruptible: Interruptible,
  ): Effect.Effect<boolean> {
    // In one order everywhere, so that no two wait for each other.
    const wanted = [...new Set(keys)].sort();
    return Effect.suspend(() => {
      if (!wanted.some((key) => this.#waiting.has(key))) {
        for (const key of wanted) this.#waiting.set(key, new Set());
        return Effect.succeed(true);
      }
      return this.#takeRest(wanted, 0, signal, interruptible);
    });
  }

  #takeRest(
    wanted: readonly string[],
    at: number,
    signal: AbortSignal | undefined,
    interruptible: Interruptible,
  ): Effect.Effect<boolean> {
    const key = wanted[at];
    if (key === undefined) return Effect.succeed(true);
    const releaseTaken = Effect.sync(() => this.#release(wanted.slice(0, at)));
    const taking = Effect.onInterrupt(interruptible(this.#takeOne(key, signal)), () => releaseTaken);
    return Effect.flatMap(taking, (isTaken) =>
      isTaken ? this.#takeRest(wanted, at + 1, signal, interruptible) : Effect.as(releaseTaken, false),
    );
  }

  #takeOne(key: string, signal: AbortSignal | undefined): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      const waiting = this.#waiting.get(key);
      if (waiting === undefined) {
        this.#waiting.set(key, new Set());
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

  /** The next one in line has it at once; where nobody waits, it is free. */
  #release(keys: readonly string[]): void {
    for (const key of new Set(keys)) {
      const [next] = this.#waiting.get(key) ?? [];
      if (next === undefined) this.#waiting.delete(key);
      else next();
    }
  }
}
