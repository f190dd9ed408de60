import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";

/** One piece of work per key at a time. */
export interface SignInFlights<A, E> {
  /** Joins what is under way, or starts it. Whoever stops waiting leaves the others theirs. */
  readonly join: (key: string, work: Effect.Effect<A, E>) => Effect.Effect<A, E>;
  /** Waits for what is under way, then starts its own. */
  readonly alone: (key: string, work: Effect.Effect<A, E>) => Effect.Effect<A, E>;
  readonly isUnderWay: (key: string) => boolean;
}

export const flights = <A, E>(): SignInFlights<A, E> => {
  const underWay = new Map<string, Fiber.Fiber<A, E>>();

  // Looked up and started in one step: between the two another fiber could start the same work.
  const start = (key: string, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.withFiber((own) => {
      const fiber = Effect.runForkWith(own.context)(work);
      underWay.set(key, fiber);
      fiber.addObserver(() => underWay.delete(key));
      return Fiber.join(fiber);
    });

  const alone = (key: string, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const other = underWay.get(key);
      return other === undefined
        ? start(key, work)
        : Effect.flatMap(Fiber.await(other), () => alone(key, work));
    });

  return {
    join: (key, work) =>
      Effect.suspend(() => {
        const fiber = underWay.get(key);
        return fiber === undefined ? start(key, work) : Fiber.join(fiber);
      }),
    alone,
    isUnderWay: (key) => underWay.has(key),
  };
};
