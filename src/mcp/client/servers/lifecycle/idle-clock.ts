import type * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";

const maxTimerMs = 2_147_483_647;

const sleepMs = (ms: number): Effect.Effect<void> => {
  if (ms <= 0) return Effect.yieldNow;
  if (!Number.isFinite(ms)) return Effect.never;
  return Effect.callback<void>((resume) => {
    const rest = ms > maxTimerMs ? sleepMs(ms - maxTimerMs) : Effect.void;
    const timer = setTimeout(() => resume(rest), Math.min(ms, maxTimerMs));
    timer.unref();
    return Effect.sync(() => clearTimeout(timer));
  });
};

/** The timers of the idle clock do not keep the process alive. */
export const keepProcessAlive = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => setInterval(() => {}, maxTimerMs)),
    () => effect,
    (timer) => Effect.sync(() => clearInterval(timer)),
  );

/** Waits between reconnects must not keep the process alive. */
export const createIdleClock = (clock: Clock.Clock): Clock.Clock => ({
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
  currentTimeMillis: clock.currentTimeMillis,
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
  currentTimeNanos: clock.currentTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => sleepMs(Duration.toMillis(duration)),
});
