import type * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type { Scheduler } from "./scheduler.ts";

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
  unschedule: (() => void) | undefined;
}

const epoch = Date.UTC(2026, 0, 1);

/** The clock of one runtime: a millisecond per step of the history, plus its jumps. */
export class VirtualClock implements Clock.Clock {
  readonly #actor: string;
  readonly #scheduler: Scheduler;
  readonly #sleepers = new Set<Sleeper>();
  #wallJump = 0;
  #elapsedJump = 0;

  constructor(actor: string, scheduler: Scheduler) {
    this.#actor = actor;
    this.#scheduler = scheduler;
  }

  /** Monotonic time. */
  elapsed = (): number => this.#scheduler.now + this.#elapsedJump;
  currentTimeMillisUnsafe = (): number => epoch + this.#scheduler.now + this.#wallJump;
  currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe());
  currentTimeNanosUnsafe = (): bigint => BigInt(this.currentTimeMillisUnsafe()) * 1_000_000n;
  currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe());
  monotonicTimeNanosUnsafe = (): bigint => BigInt(this.elapsed()) * 1_000_000n;
  monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe());

  sleep = (duration: Duration.Duration): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      const until = this.elapsed() + Math.ceil(Duration.toMillis(duration));
      const sleeper: Sleeper = { until, wake: () => resume(Effect.void), unschedule: undefined };
      this.#sleepers.add(sleeper);
      return Effect.sync(() => {
        this.#sleepers.delete(sleeper);
        sleeper.unschedule?.();
      });
    });

  /** Sets the clock, also back. Monotonic time only advances with jumps ahead, as after the machine slept. */
  jump(ms: number): void {
    this.#wallJump += ms;
    if (ms > 0) this.#elapsedJump += ms;
    this.wakeDue();
  }

  /** Due timers wait for the scheduler too. */
  wakeDue(): void {
    for (const sleeper of this.#sleepers) {
      if (sleeper.until > this.elapsed() || sleeper.unschedule !== undefined) continue;
      const goOn = (): void => {
        this.#sleepers.delete(sleeper);
        sleeper.wake();
      };
      sleeper.unschedule = this.#scheduler.add({
        actor: this.#actor,
        label: "a timer",
        goOn,
        drop: () => {},
      });
    }
  }

  /** Time until the next timer, if there is one. */
  nextTimer(): number | undefined {
    const times = [...this.#sleepers].filter(({ unschedule }) => unschedule === undefined);
    return times.length === 0
      ? undefined
      : Math.max(1, Math.min(...times.map(({ until }) => until)) - this.elapsed());
  }
}
