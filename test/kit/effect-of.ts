import * as Effect from "effect/Effect";

/** An implementation's answer as an Effect, so that a test can run it whichever it is. */
export const effectOf = <R>(
  answer: Effect.Effect<unknown, unknown, R> | Promise<unknown>,
): Effect.Effect<unknown, unknown, R> =>
  Effect.isEffect(answer) ? answer : Effect.tryPromise({ try: () => answer, catch: (error) => error });
