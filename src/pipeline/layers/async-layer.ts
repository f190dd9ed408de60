import * as Effect from "effect/Effect";
import type { AuthorizedCall } from "../words/call.ts";
import type { ToolLayer } from "../words/layer.ts";
import type { Outcome } from "../words/outcome.ts";

/**
 * A layer written with promises. `next` may be called any number of times; whatever it still has
 * under way is cancelled when the layer answers, or when the call is cancelled.
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
        const over = new AbortController();
        signal.addEventListener("abort", () => over.abort(), { once: true });
        const enter = (inner: AuthorizedCall<Env>) => {
          const entered = over.signal.aborted
            ? Promise.reject(new Error("The call is over."))
            : run(next(inner), { signal: over.signal });
          // A layer need not await what it started: cancelled with its call, it must not end the process.
          entered.catch(() => {});
          return entered;
        };
        const end = (answer: Effect.Effect<Outcome>): void => {
          resume(answer);
          over.abort();
        };
        // An async body starts at once, and one that throws at once rejects like any other.
        const answer = (async () => around(call, enter))();
        answer.then(
          (outcome) => end(Effect.succeed(outcome)),
          (error: unknown) => end(Effect.die(error)),
        );
      }),
    );
};
