import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";

/** One piece of work per key at a time, however many ask for it: a token is renewed once for twenty calls. */
export interface KeyedTasks<A, E> {
  /**
   * Joins work of the same kind that is under way, or waits for any other, however it ends, and starts. Whoever stops
   * waiting leaves the others theirs.
   */
  readonly join: (key: string, work: Effect.Effect<A, E>, kind?: string) => Effect.Effect<A, E>;
  /** Waits for whatever is under way, then starts its own, which nobody joins. */
  readonly alone: (key: string, work: Effect.Effect<A, E>) => Effect.Effect<A, E>;
  readonly isUnderWay: (key: string) => boolean;
}

interface RunningTask<A, E> {
  readonly kind: string | undefined;
  readonly fiber: Fiber.Fiber<A, E>;
}

export const keyedTasks = <A, E>(): KeyedTasks<A, E> => {
  const underWay = new Map<string, RunningTask<A, E>>();

  // SampleInfo up and started in one step: between the two another fiber could start the same work.
  const startOrJoin = (
    key: string,
    kind: string | undefined,
    work: Effect.Effect<A, E>,
  ): Effect.Effect<A, E> =>
    Effect.withFiber((own) => {
      const other = underWay.get(key);
      if (other === undefined) {
        const fiber = Effect.runForkWith(own.context)(work);
        underWay.set(key, { kind, fiber });
        fiber.addObserver(() => underWay.delete(key));
        return Fiber.join(fiber);
      }
      if (kind !== undefined && other.kind === kind) return Fiber.join(other.fiber);
      return Effect.flatMap(Fiber.await(other.fiber), () => startOrJoin(key, kind, work));
    });

  return {
    join: (key, work, kind = "") => startOrJoin(key, kind, work),
    alone: (key, work) => startOrJoin(key, undefined, work),
    isUnderWay: (key) => underWay.has(key),
  };
};
