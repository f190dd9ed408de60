import * as Effect from "effect/Effect";
import type { StopPolicy } from "./stop-policies.ts";

export interface RunStopSignal {
  readonly signal: AbortSignal;
  readonly stopReason: () => string | undefined;
}

export const runStopSignal = (
  stop: readonly StopPolicy[],
  signal: AbortSignal,
): Effect.Effect<RunStopSignal> => {
  const withinMs = Math.min(...stop.map((policy) => policy.withinMs ?? Number.POSITIVE_INFINITY));
  if (withinMs === Number.POSITIVE_INFINITY) return Effect.succeed({ signal, stopReason: () => undefined });
  return Effect.gen(function* () {
    const controller = new AbortController();
    yield* Effect.forkChild(
      Effect.andThen(
        Effect.sleep(withinMs),
        Effect.sync(() => controller.abort()),
      ),
    );
    const stopReason = () => (signal.aborted ? undefined : `The run took its ${withinMs} milliseconds.`);
    return { signal: AbortSignal.any([signal, controller.signal]), stopReason };
  });
};
