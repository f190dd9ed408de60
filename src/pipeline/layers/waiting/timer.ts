import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type { Fiber } from "effect/Fiber";
import { LinkedList, type ListLink } from "./linked-list.ts";

type AnyFiber = Fiber<unknown, unknown>;

/** One wait for one moment. */
export class Timer implements ListLink<Timer> {
  before: Timer | undefined = undefined;
  after: Timer | undefined = undefined;
  linked = false;
  readonly due: number;
  readonly ring: () => void;
  readonly #alarm: TimerGroup;

  constructor(alarm: TimerGroup, due: number, ring: () => void) {
    this.#alarm = alarm;
    this.due = due;
    this.ring = ring;
  }

  cancel(): void {
    this.#alarm.cancel(this);
  }
}

/**
 * All waits of one length share one sleeper: the one set first is due first. Setting and cancelling a
 * timer for each call would cost more than the rest of a call.
 */
class TimerGroup {
  readonly #clock: Clock.Clock;
  readonly #millis: number;
  readonly #peers: Map<number, TimerGroup>;
  readonly #bells = new LinkedList<Timer>();
  #sleeper: AnyFiber | undefined = undefined;
  #watching = false;
  #leaving = false;

  constructor(clock: Clock.Clock, millis: number, peers: Map<number, TimerGroup>) {
    this.#clock = clock;
    this.#millis = millis;
    this.#peers = peers;
  }

  set(fiber: AnyFiber, ring: () => void): Timer {
    const timer = new Timer(this, this.#now() + this.#millis, ring);
    this.#bells.push(timer);
    if (!this.#watching) {
      this.#watching = true;
      this.#sleeper = Effect.runForkWith(fiber.context)(this.#watch());
    }
    return timer;
  }

  cancel(timer: Timer): void {
    if (!this.#bells.remove(timer) || this.#bells.size > 0 || this.#leaving) return;
    // Not at once: calls often come one after another, and each would send the sleeper away and call it back.
    this.#leaving = true;
    this.#sleeper?.currentDispatcher.scheduleTask(this.#leave, 0);
  }

  readonly #leave = (): void => {
    this.#leaving = false;
    if (this.#bells.size > 0 || !this.#watching) return;
    this.#end();
    this.#sleeper?.interruptUnsafe();
  };

  #end(): void {
    this.#watching = false;
    this.#peers.delete(this.#millis);
  }

  #watch(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#ringDue();
      const first = this.#bells.first;
      if (first === undefined) {
        this.#end();
        return Effect.void;
      }
      const millis = Math.ceil(first.due - this.#now());
      return Effect.flatMap(this.#clock.sleep(Duration.millis(Math.max(millis, 1))), () => this.#watch());
    });
  }

  #ringDue(): void {
    const now = this.#now();
    for (let timer = this.#bells.first; timer !== undefined && timer.due <= now; timer = this.#bells.first) {
      this.#bells.remove(timer);
      timer.ring();
    }
  }

  /** Monotonic, so that correcting the wall clock stops no call and keeps none alive. */
  #now(): number {
    return Number(this.#clock.monotonicTimeNanosUnsafe()) / 1e6;
  }
}

const timerGroups = new WeakMap<Clock.Clock, Map<number, TimerGroup>>();

/** Rings once, `millis` from now by the fiber's clock, unless cancelled. Nothing sleeps while nobody waits. */
export const startTimer = (fiber: AnyFiber, millis: number, ring: () => void): Timer => {
  const clock = fiber.getRef(Clock.Clock);
  let ofClock = timerGroups.get(clock);
  if (ofClock === undefined) {
    ofClock = new Map();
    timerGroups.set(clock, ofClock);
  }
  let alarm = ofClock.get(millis);
  if (alarm === undefined) {
    alarm = new TimerGroup(clock, millis, ofClock);
    ofClock.set(millis, alarm);
  }
  return alarm.set(fiber, ring);
};
