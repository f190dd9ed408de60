import * as Effect from "effect/Effect";
import type { AuthorizedCall } from "../../types/call.ts";
import type { ToolLayer } from "../../types/layer.ts";
import type { Outcome } from "../../types/outcome.ts";

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
        const controller = new AbortController();
        signal.addEventListener("abort", () => controller.abort(), { once: true });
        const callNext = (inner: AuthorizedCall<Env>) => {
          const running = controller.signal.aborted
            ? Promise.reject(new Error("The call is over."))
            : run(next(inner), { signal: controller.signal });
          // A layer need not await what it started: cancelled with its call, it must not end the process.
          running.catch(() => {});
          return running;
        };
        const end = (answer: Effect.Effect<Outcome>): void => {
          resume(answer);
          controller.abort();
        };
        // An async body starts at once, and one that throws at once rejects like any other.
        const answer = (async () => around(call, callNext))();
        answer.then(
          (outcome) => end(Effect.succeed(outcome)),
          (error: unknown) => end(Effect.die(error)),
        );
      }),
    );
};
