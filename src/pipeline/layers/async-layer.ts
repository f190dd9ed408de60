import * as Effect from "effect/Effect";
import type { AuthorizedCall } from "../../types/call.ts";
import type { Outcome } from "../../types/outcome.ts";
import type { ToolLayer } from "../../types/tool.ts";

/**
 * Creates a layer from an async function. `next` may be called repeatedly; its running calls are cancelled
 * when the layer returns.
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
            ? Promise.reject(new Error("The call has ended."))
            : run(next(inner), { signal: controller.signal });
          // Prevents an unhandled rejection if the layer does not await a cancelled call.
          running.catch(() => {});
          return running;
        };
        const end = (answer: Effect.Effect<Outcome>): void => {
          resume(answer);
          controller.abort();
        };
        const answer = (async () => around(call, callNext))();
        answer.then(
          (outcome) => end(Effect.succeed(outcome)),
          (error: unknown) => end(Effect.die(error)),
        );
      }),
    );
};
