import * as Effect from "effect/Effect";

/** What a function of somebody else may answer with. */
export type ValueOrAsync<A> = A | PromiseLike<A> | Effect.Effect<A, unknown>;

const isPromise = (answer: unknown): answer is PromiseLike<never> =>
  typeof answer === "object" && answer !== null && "then" in answer;

/** Asks, whichever way the answer comes; what is thrown is a failure like any other. */
export const fromValueOrAsync = <A>(ask: () => ValueOrAsync<A>): Effect.Effect<A, unknown> =>
  Effect.flatMap(Effect.try({ try: ask, catch: (error) => error }), (answer) => {
    if (Effect.isEffect(answer)) return answer as Effect.Effect<A, unknown>;
    return isPromise(answer)
      ? Effect.tryPromise({ try: () => answer as PromiseLike<A>, catch: (error) => error })
      : Effect.succeed(answer as A);
  });
