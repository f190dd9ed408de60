import * as Effect from "effect/Effect";
import type { Fiber } from "effect/Fiber";

export class DeferredEffect<A> {
  readonly effect: Effect.Effect<A>;

  constructor(effect: Effect.Effect<A>) {
    this.effect = effect;
  }
}

/** Either a value or a deferred Effect. A value that is available at once costs no fiber step. */
export type MaybeEffect<A> = A | DeferredEffect<A>;

export const deferEffect = <A>(effect: Effect.Effect<A>): DeferredEffect<A> => new DeferredEffect(effect);

export const flatMapMaybe = <A, B>(
  value: MaybeEffect<A>,
  next: (value: A) => MaybeEffect<B>,
): MaybeEffect<B> =>
  value instanceof DeferredEffect
    ? new DeferredEffect(Effect.flatMap(value.effect, (given: A) => toEffect(next(given))))
    : next(value);

export const toEffect = <A>(value: MaybeEffect<A>): Effect.Effect<A> =>
  value instanceof DeferredEffect ? value.effect : Effect.succeed(value);

export type RestoreInterruption = <A>(effect: Effect.Effect<A>) => Effect.Effect<A>;

/** Runs `body` uninterruptibly, except where it calls `interruptible`. */
export const runUninterruptible = <A>(
  body: (fiber: Fiber<unknown, unknown>, interruptible: RestoreInterruption) => MaybeEffect<A>,
): Effect.Effect<A> =>
  Effect.uninterruptibleMask((interruptible) =>
    Effect.withFiber((fiber) => toEffect(body(fiber, interruptible))),
  );

export const loadOnDemand = <Module>(load: () => Promise<Module>): Effect.Effect<Module> => {
  let loaded: Effect.Effect<Module> | undefined;
  const loading = Effect.map(Effect.promise(load), (module) => {
    loaded = Effect.succeed(module);
    return module;
  });
  return Effect.suspend(() => loaded ?? loading);
};
