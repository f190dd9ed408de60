import * as Effect from "effect/Effect";

/** The answer of an implementation as an Effect, whether it is an Effect or a promise. */
export const effectOf = <R>(
  answer: Effect.Effect<unknown, unknown, R> | Promise<unknown>,
): Effect.Effect<unknown, unknown, R> =>
  Effect.isEffect(answer) ? answer : Effect.tryPromise({ try: () => answer, catch: (error) => error });
