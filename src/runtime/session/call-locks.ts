import * as Effect from "effect/Effect";

/**
 * One at a time for each call: whoever asks for a call that is under way, or is being asked about, waits until that is on
 * record, and is then told what came of it.
 */
export class CallLocks {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Takes all of them or, if the signal is aborted before they are free, none. */
  take(keys: readonly string[], signal: AbortSignal | undefined): Effect.Effect<boolean> {
    // In one order everywhere, so that no two wait for each other.
    const wanted = [...new Set(keys)].sort();
    return Effect.suspend(() => {
      if (!wanted.some((key) => this.#waiting.has(key))) {
        for (const key of wanted) this.#waiting.set(key, new Set());
        return Effect.succeed(true);
      }
      return this.#takeRest(wanted, 0, signal);
    });
  }

  #takeRest(wanted: readonly string[], at: number, signal: AbortSignal | undefined): Effect.Effect<boolean> {
    const key = wanted[at];
    if (key === undefined) return Effect.succeed(true);
    return Effect.flatMap(this.#takeOne(key, signal), (isTaken) => {
      if (isTaken) return this.#takeRest(wanted, at + 1, signal);
      this.release(wanted.slice(0, at));
      return Effect.succeed(false);
    });
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
  release(keys: readonly string[]): void {
    for (const key of new Set(keys)) {
      const [next] = this.#waiting.get(key) ?? [];
      if (next === undefined) this.#waiting.delete(key);
      else next();
    }
  }
}
