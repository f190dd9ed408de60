import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";

/** Runs one task per key at a time: twenty calls cause one token refresh. */
export interface KeyedTasks<A, E> {
  /**
   * Joins a running task of the same kind. Waits for one of another kind before it starts. Interrupting a
   * waiter does not stop the task.
   */
  readonly join: (key: string, work: Effect.Effect<A, E>, kind?: string) => Effect.Effect<A, E>;
  readonly alone: (key: string, work: Effect.Effect<A, E>) => Effect.Effect<A, E>;
  readonly isUnderWay: (key: string) => boolean;
}

interface RunningTask<A, E> {
  readonly kind: string | undefined;
  readonly fiber: Fiber.Fiber<A, E>;
}

export const keyedTasks = <A, E>(): KeyedTasks<A, E> => {
  const underWay = new Map<string, RunningTask<A, E>>();

  // Lookup and start happen in one synchronous step.
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
