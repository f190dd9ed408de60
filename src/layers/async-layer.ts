import * as Effect from "effect/Effect";
import type { AuthorizedCall } from "../words/call.ts";
import type { ToolLayer } from "../words/layer.ts";
import type { Outcome } from "../words/outcome.ts";

/**
 * A layer written with promises. `next` may be called any number of times; whatever it still has
 * under way is cancelled when the call is.
 */
export const asyncLayer = <Env = unknown>(
  around: (
    call: AuthorizedCall<Env>,
    next: (call: AuthorizedCall<Env>) => Promise<Outcome>,
  ) => Promise<Outcome>,
): ToolLayer<Env> => {
  return (next) => (call) =>
    Effect.withFiber((fiber) =>
      Effect.callback<Outcome>((resume, signal) => {
        const run = Effect.runPromiseWith(fiber.context);
        const enter = (inner: AuthorizedCall<Env>) => run(next(inner), { signal });
        // Started in a microtask, so that a body that throws at once rejects like any other.
        Promise.resolve()
          .then(() => around(call, enter))
          .then(
            (outcome) => resume(Effect.succeed(outcome)),
            (error: unknown) => resume(Effect.die(error)),
          );
      }),
    );
};
