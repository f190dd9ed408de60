import * as Effect from "effect/Effect";

/** A FIFO mutex that is cheap without contention. */
export class ClaimQueue {
  #isHeld = false;
  readonly #waiters = new Set<() => void>();

  /** The work is uninterruptible. */
  run<A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      if (this.#isHeld) return Effect.andThen(this.#wait, this.#runExclusive(work));
      this.#isHeld = true;
      return this.#runExclusive(work);
    });
  }

  readonly #wait: Effect.Effect<void> = Effect.callback<void>((resume) => {
    this.#waiters.add(() => resume(Effect.void));
  });

  #runExclusive<A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.onExit(work, this.#release);
  }

  readonly #release = (): Effect.Effect<void> =>
    Effect.sync(() => {
      const [next] = this.#waiters;
      if (next === undefined) {
        this.#isHeld = false;
        return;
      }
      this.#waiters.delete(next);
      next();
    });
}
