import * as Effect from "effect/Effect";

/** One at a time, in the order they came. Where nobody is inside, going in costs next to nothing. */
export class ClaimQueue {
  #isTaken = false;
  readonly #waiting = new Set<() => void>();

  /** The work cannot be interrupted; waiting for it ends at the latest when those before it have ended. */
  run<A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      if (this.#isTaken) return Effect.andThen(this.#wait, this.#alone(work));
      this.#isTaken = true;
      return this.#alone(work);
    });
  }

  readonly #wait: Effect.Effect<void> = Effect.callback<void>((resume) => {
    this.#waiting.add(() => resume(Effect.void));
  });

  #alone<A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.onExit(work, this.#leave);
  }

  readonly #leave = (): Effect.Effect<void> =>
    Effect.sync(() => {
      const [next] = this.#waiting;
      if (next === undefined) {
        this.#isTaken = false;
        return;
      }
      this.#waiting.delete(next);
      next();
    });
}
