import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type { Fiber } from "effect/Fiber";
import type { Outcome } from "../../../types/outcome.ts";

type AnyFiber = Fiber<unknown, unknown>;

export interface ListLink<Item> {
  before: Item | undefined;
  after: Item | undefined;
  linked: boolean;
}

/** A queue that removes any item in constant time. */
export class LinkedList<Item extends ListLink<Item>> {
  first: Item | undefined = undefined;
  last: Item | undefined = undefined;
  size = 0;

  push(item: Item): void {
    item.before = this.last;
    if (this.last === undefined) this.first = item;
    else this.last.after = item;
    this.last = item;
    item.linked = true;
    this.size++;
  }

  shift(): Item | undefined {
    const { first } = this;
    if (first !== undefined) this.remove(first);
    return first;
  }

  remove(item: Item): boolean {
    if (!item.linked) return false;
    if (item.before === undefined) this.first = item.after;
    else item.before.after = item.after;
    if (item.after === undefined) this.last = item.before;
    else item.after.before = item.before;
    item.before = undefined;
    item.after = undefined;
    item.linked = false;
    this.size--;
    return true;
  }
}

export class Timer implements ListLink<Timer> {
  before: Timer | undefined = undefined;
  after: Timer | undefined = undefined;
  linked = false;
  readonly due: number;
  readonly ring: () => void;
  readonly #group: TimerGroup;

  constructor(alarm: TimerGroup, due: number, ring: () => void) {
    this.#group = alarm;
    this.due = due;
    this.ring = ring;
  }

  cancel(): void {
    this.#group.cancel(this);
  }
}

/**
 * Timers of equal duration share one sleeping fiber; a fiber per call would cost more than the rest of the
 * call.
 */
class TimerGroup {
  readonly #clock: Clock.Clock;
  readonly #millis: number;
  readonly #groups: Map<number, TimerGroup>;
  readonly #timers = new LinkedList<Timer>();
  #sleeper: AnyFiber | undefined = undefined;
  #isRunning = false;
  #isStopScheduled = false;

  constructor(clock: Clock.Clock, millis: number, peers: Map<number, TimerGroup>) {
    this.#clock = clock;
    this.#millis = millis;
    this.#groups = peers;
  }

  set(fiber: AnyFiber, ring: () => void): Timer {
    const timer = new Timer(this, this.#now() + this.#millis, ring);
    this.#timers.push(timer);
    if (!this.#isRunning) {
      this.#isRunning = true;
      this.#sleeper = Effect.runForkWith(fiber.context)(this.#runTimers());
    }
    return timer;
  }

  cancel(timer: Timer): void {
    if (!this.#timers.remove(timer) || this.#timers.size > 0 || this.#isStopScheduled) return;
    // Deferred, because consecutive calls would otherwise restart the fiber each time.
    this.#isStopScheduled = true;
    this.#sleeper?.currentDispatcher.scheduleTask(this.#stopIfIdle, 0);
  }

  readonly #stopIfIdle = (): void => {
    this.#isStopScheduled = false;
    if (this.#timers.size > 0 || !this.#isRunning) return;
    this.#removeGroup();
    this.#sleeper?.interruptUnsafe();
  };

  #removeGroup(): void {
    this.#isRunning = false;
    this.#groups.delete(this.#millis);
  }

  #runTimers(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#fireDueTimers();
      const first = this.#timers.first;
      if (first === undefined) {
        this.#removeGroup();
        return Effect.void;
      }
      const millis = Math.ceil(first.due - this.#now());
      return Effect.flatMap(this.#clock.sleep(Duration.millis(Math.max(millis, 1))), () => this.#runTimers());
    });
  }

  #fireDueTimers(): void {
    const now = this.#now();
    for (
      let timer = this.#timers.first;
      timer !== undefined && timer.due <= now;
      timer = this.#timers.first
    ) {
      this.#timers.remove(timer);
      timer.ring();
    }
  }

  /** The monotonic clock is not affected by changes of the wall clock. */
  #now(): number {
    return Number(this.#clock.monotonicTimeNanosUnsafe()) / 1e6;
  }
}

const timerGroups = new WeakMap<Clock.Clock, Map<number, TimerGroup>>();

export const startTimer = (fiber: AnyFiber, millis: number, onFire: () => void): Timer => {
  const clock = fiber.getRef(Clock.Clock);
  let groups = timerGroups.get(clock);
  if (groups === undefined) {
    groups = new Map();
    timerGroups.set(clock, groups);
  }
  let group = groups.get(millis);
  if (group === undefined) {
    group = new TimerGroup(clock, millis, groups);
    groups.set(millis, group);
  }
  return group.set(fiber, onFire);
};

interface DeadlineOptions {
  readonly onTimeout: () => Outcome;
  readonly onCancel?: () => void;
  readonly fork?: <A>(start: () => A) => A;
}

/**
 * After the deadline, the work is interrupted and not awaited. An interrupted caller waits for the work's
 * cleanup until the deadline.
 */
export const withDeadline = (
  work: Effect.Effect<Outcome>,
  millis: number,
  { onTimeout, onCancel, fork = startNow }: DeadlineOptions,
): Effect.Effect<Outcome> =>
  Effect.withFiber((parent) =>
    // Starts inside the callback, so that an interruption cannot leave the work running.
    Effect.callback((resume) => {
      const child = fork(() => Effect.runForkWith(parent.context)(work));
      const exit = child.pollUnsafe();
      if (exit !== undefined) {
        resume(exit);
        return;
      }
      let isExpired = false;
      let onExpired = (): void => {
        isExpired = true;
        child.interruptUnsafe(parent.id);
        resume(Effect.sync(onTimeout));
      };
      const timer = startTimer(parent, millis, () => onExpired());
      child.addObserver((done) => {
        timer.cancel();
        if (!isExpired) resume(done);
      });
      return Effect.callback<void>((done) => {
        onExpired = () => done(Effect.void);
        child.addObserver(onExpired);
        onCancel?.();
        child.interruptUnsafe(parent.id);
      });
    }),
  );

const startNow = <A>(start: () => A): A => start();
