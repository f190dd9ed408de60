import * as Clock from "effect/Clock";
import type { Context } from "effect/Context";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type { Fiber } from "effect/Fiber";
import type { SchedulerDispatcher } from "effect/Scheduler";
import type { CallRequest } from "../../../types/call.ts";
import { FairQueue, type Waiter } from "./fair-queue.ts";
import { type Rate, RateWindow } from "./rate-window.ts";

type AnyFiber = Fiber<unknown, unknown>;

/** Taken from the latest waiting fiber, because fibers that ended have no clock. */
interface QueueContext {
  readonly clock: Clock.Clock;
  readonly context: Context<never>;
  readonly dispatcher: SchedulerDispatcher;
}

export interface QueueCallbacks {
  readonly admit: () => void;
  readonly refuse: (retryAfterMs: number | undefined) => void;
}

export class ConcurrencyLimit {
  readonly #capacity: number;
  readonly #window: RateWindow | undefined;
  readonly #maxQueueLength: number;
  readonly #holders = new Set<CallRequest>();
  readonly #queue = new FairQueue();
  #queueContext: QueueContext | undefined = undefined;
  #sleeper: AnyFiber | undefined = undefined;
  #isSleeping = false;
  #isAdmitting = false;
  #hasReleasedWhileAdmitting = false;

  constructor(capacity: number, rate: Rate | undefined, longestQueue: number) {
    this.#capacity = capacity;
    this.#window = rate === undefined ? undefined : new RateWindow(rate);
    this.#maxQueueLength = longestQueue;
  }

  isInside(request: CallRequest): boolean {
    return this.#holders.has(request);
  }

  tryEnter(request: CallRequest, fiber: AnyFiber): boolean {
    if (this.#queue.size > 0 || this.#holders.size >= this.#capacity) return false;
    if (this.#window !== undefined && this.#window.wait(currentMillisOf(fiber)) > 0) return false;
    this.enter(request, fiber);
    return true;
  }

  enter(request: CallRequest, fiber: AnyFiber): void {
    this.#holders.add(request);
    this.#window?.take(currentMillisOf(fiber));
  }

  leave(request: CallRequest): void {
    this.#holders.delete(request);
    if (this.#queue.size > 0) this.#admit();
  }

  /**
   * Returns a function that leaves the queue. A full queue refuses a call of the caller with most waiting
   * calls.
   */
  queue(lane: string, fiber: AnyFiber, answer: QueueCallbacks): () => void {
    const waiter: Waiter = {
      lane,
      admit: answer.admit,
      refuse: () => answer.refuse(this.#window?.wait(currentMillisOf(fiber), this.#queue.size) || undefined),
      before: undefined,
      after: undefined,
      linked: false,
    };
    const isFull = this.#queue.size >= this.#maxQueueLength;
    const last = isFull ? this.#queue.lastOfLongest(lane) : undefined;
    if (isFull && last === undefined) {
      waiter.refuse();
      return () => {};
    }
    if (last !== undefined) this.#queue.remove(last);
    this.#queue.push(waiter);
    this.#queueContext = {
      clock: fiber.getRef(Clock.Clock),
      context: fiber.context,
      dispatcher: fiber.currentDispatcher,
    };
    this.#sleepUntilDue();
    // Called last, because a refused call continues at once and may reenter this queue.
    last?.refuse();
    return () => {
      this.#queue.remove(waiter);
      if (this.#queue.size === 0) this.#stopSleeping();
    };
  }

  /**
   * Admits calls into the current capacity; places released meanwhile are handled in a later task, so that
   * the releasing call is not delayed.
   */
  readonly #admit = (): void => {
    if (this.#isAdmitting) {
      this.#hasReleasedWhileAdmitting = true;
      return;
    }
    this.#isAdmitting = true;
    this.#hasReleasedWhileAdmitting = false;
    try {
      let free = this.#capacity - this.#holders.size;
      while (free-- > 0 && this.#queue.size > 0 && this.#millisUntilDue() <= 0) this.#queue.shift()?.admit();
    } finally {
      this.#isAdmitting = false;
    }
    if (this.#queue.size === 0) this.#stopSleeping();
    else if (this.#hasReleasedWhileAdmitting) this.#queueContext?.dispatcher.scheduleTask(this.#admit, 0);
    else this.#sleepUntilDue();
  };

  #millisUntilDue(): number {
    const { clock } = this.#queueContext ?? {};
    return clock === undefined ? 0 : (this.#window?.wait(clock.currentTimeMillisUnsafe()) ?? 0);
  }

  /** Sleeps until the rate allows a start. If no place is free, `leave` admits the next call. */
  #sleepUntilDue(): void {
    if (this.#window === undefined || this.#queueContext === undefined || this.#isSleeping) return;
    if (this.#holders.size >= this.#capacity) return;
    const { clock, context } = this.#queueContext;
    const pause = Duration.millis(Math.max(1, Math.ceil(this.#millisUntilDue())));
    this.#isSleeping = true;
    this.#sleeper = Effect.runForkWith(context)(
      Effect.map(clock.sleep(pause), () => {
        this.#isSleeping = false;
        this.#admit();
      }),
    );
  }

  #stopSleeping(): void {
    this.#queueContext = undefined;
    if (!this.#isSleeping) return;
    this.#isSleeping = false;
    this.#sleeper?.interruptUnsafe();
  }
}

const currentMillisOf = (fiber: AnyFiber): number => fiber.getRef(Clock.Clock).currentTimeMillisUnsafe();
