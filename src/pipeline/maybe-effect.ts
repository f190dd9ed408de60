import * as Effect from "effect/Effect";
import type { Fiber } from "effect/Fiber";

/** An answer that is still to come. */
export class Later<A> {
  readonly effect: Effect.Effect<A>;

  constructor(effect: Effect.Effect<A>) {
    this.effect = effect;
  }
}

/** An answer that is there, or one that is still to come. What is there at once costs no step of a fiber. */
export type Eventually<A> = A | Later<A>;

export const later = <A>(effect: Effect.Effect<A>): Later<A> => new Later(effect);

export const andThen = <A, B>(value: Eventually<A>, next: (value: A) => Eventually<B>): Eventually<B> =>
  value instanceof Later
    ? new Later(Effect.flatMap(value.effect, (given: A) => toEffect(next(given))))
    : next(value);

export const toEffect = <A>(value: Eventually<A>): Effect.Effect<A> =>
  value instanceof Later ? value.effect : Effect.succeed(value);

/** Lets an interruption through, in a region that otherwise runs to its end. */
export type Interruptible = <A>(effect: Effect.Effect<A>) => Effect.Effect<A>;

/** Runs to its end, save for what it lets be interrupted. */
export const uninterruptible = <A>(
  body: (fiber: Fiber<unknown, unknown>, interruptible: Interruptible) => Eventually<A>,
): Effect.Effect<A> =>
  Effect.uninterruptibleMask((interruptible) =>
    Effect.withFiber((fiber) => toEffect(body(fiber, interruptible))),
  );
