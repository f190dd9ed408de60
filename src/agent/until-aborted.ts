import * as Effect from "effect/Effect";

/** Undefined if the signal aborts first. */
export const untilAborted = <A>(
  effect: Effect.Effect<A>,
  signal: AbortSignal,
): Effect.Effect<A | undefined> => {
  const aborted = Effect.callback<undefined>((resume) => {
    const stop = () => resume(Effect.succeed(undefined));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    return Effect.sync(() => signal.removeEventListener("abort", stop));
  });
  return Effect.raceFirst(effect, aborted);
};
