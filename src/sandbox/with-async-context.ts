import { AsyncResource } from "node:async_hooks";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";

/** The function, run as if it were called from where the work began. */
export type BindContext = <Given extends readonly unknown[], A>(
  fn: (...given: Given) => A,
) => (...given: Given) => A;

/**
 * Work that others wake: a worker that another call started, a place in a queue that another call left. Without this it
 * would go on in the async context of that other call, and what it calls in turn would count as that one's.
 */
export const withAsyncContext = <A, E>(
  work: (bind: BindContext) => Effect.Effect<A, E>,
): Effect.Effect<A, E> =>
  Effect.withFiber((around) =>
    Effect.callback<A, E>((resume) => {
      const resource = new AsyncResource("HaftSandbox");
      const bind: BindContext =
        (fn) =>
        (...given) =>
          resource.runInAsyncScope(() => fn(...given));
      const fiber = Effect.runForkWith(around.context)(Effect.suspend(() => work(bind)));
      fiber.addObserver(bind((exit) => resume(exit)));
      return Fiber.interrupt(fiber);
    }),
  );
