import { AsyncResource } from "node:async_hooks";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";

export type BindContext = <Given extends readonly unknown[], A>(
  fn: (...given: Given) => A,
) => (...given: Given) => A;

/**
 * Without this, work that another call resumes, for example through a shared queue, would continue in that
 * call's async context, and nested calls would be attributed to it.
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
