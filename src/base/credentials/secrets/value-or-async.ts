import * as Effect from "effect/Effect";

export type ValueOrAsync<A> = A | PromiseLike<A> | Effect.Effect<A, unknown>;

const isPromise = (answer: unknown): answer is PromiseLike<never> =>
  typeof answer === "object" && answer !== null && "then" in answer;

export const fromValueOrAsync = <A>(ask: () => ValueOrAsync<A>): Effect.Effect<A, unknown> =>
  Effect.flatMap(Effect.try({ try: ask, catch: (error) => error }), (answer) => {
    if (Effect.isEffect(answer)) return answer as Effect.Effect<A, unknown>;
    return isPromise(answer)
      ? Effect.tryPromise({ try: () => answer as PromiseLike<A>, catch: (error) => error })
      : Effect.succeed(answer as A);
  });
