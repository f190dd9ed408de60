import * as Effect from "effect/Effect";
import type { Fiber } from "effect/Fiber";

/** A value that is there, or an Effect that will give it. What is there at once costs no step of a fiber. */
export type Eventually<A> = A | Effect.Effect<A>;

export const andThen = <A, B>(value: Eventually<A>, next: (value: A) => Eventually<B>): Eventually<B> =>
  Effect.isEffect(value)
    ? Effect.flatMap(value as Effect.Effect<A>, (given) => toEffect(next(given)))
    : next(value as A);

export const toEffect = <A>(value: Eventually<A>): Effect.Effect<A> =>
  Effect.isEffect(value) ? (value as Effect.Effect<A>) : Effect.succeed(value as A);

/** Lets an interruption through, in a region that otherwise runs to its end. */
export type Interruptible = <A>(effect: Effect.Effect<A>) => Effect.Effect<A>;

/** Runs to its end, save for what it lets be interrupted. */
export const uninterruptible = <A>(
  body: (fiber: Fiber<unknown, unknown>, interruptible: Interruptible) => Eventually<A>,
): Effect.Effect<A> =>
  Effect.uninterruptibleMask((interruptible) =>
    Effect.withFiber((fiber) => toEffect(body(fiber, interruptible))),
  );
