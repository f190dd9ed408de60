import * as Clock from "effect/Clock";
import type { Context } from "effect/Context";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type { Fiber } from "effect/Fiber";
import type { SchedulerDispatcher } from "effect/Scheduler";
import type { CallRequest } from "../../words/call.ts";
import { FairQueue, type Waiter } from "./fair-queue.ts";
import { type Rate, RateWindow } from "./rate.ts";

type AnyFiber = Fiber<unknown, unknown>;

/** Taken from whoever joined the queue last: a fiber that ended has no clock to ask any more. */
interface QueueContext {
  readonly clock: Clock.Clock;
  readonly context: Context<never>;
  readonly dispatcher: SchedulerDispatcher;
}

/** How somebody in the queue is told. */
export interface QueueAnswer {
  readonly admit: () => void;
  readonly refuse: (retryAfterMs: number | undefined) => void;
}

/** Who is inside and who waits. With room and nobody waiting, entering and leaving is counting. */
export class ConcurrencyLimit {
  readonly #capacity: number;
  readonly #window: RateWindow | undefined;
  readonly #longestQueue: number;
  readonly #inside = new Set<CallRequest>();
  readonly #waiting = new FairQueue();
  #around: QueueContext | undefined = undefined;
  #sleeper: AnyFiber | undefined = undefined;
  #sleeping = false;
  #admitting = false;
  #left = false;

  constructor(capacity: number, rate: Rate | undefined, longestQueue: number) {
    this.#capacity = capacity;
    this.#window = rate === undefined ? undefined : new RateWindow(rate);
    this.#longestQueue = longestQueue;
  }

  isInside(request: CallRequest): boolean {
    return this.#inside.has(request);
  }

  /** Nobody overtakes those who wait. */
  tryEnter(request: CallRequest, fiber: AnyFiber): boolean {
    if (this.#waiting.size > 0 || this.#inside.size >= this.#capacity) return false;
    if (this.#window !== undefined && this.#window.wait(nowOf(fiber)) > 0) return false;
    this.enter(request, fiber);
    return true;
  }

  enter(request: CallRequest, fiber: AnyFiber): void {
    this.#inside.add(request);
    this.#window?.take(nowOf(fiber));
  }

  leave(request: CallRequest): void {
    this.#inside.delete(request);
    if (this.#waiting.size > 0) this.#admit();
  }

  /** Returns the way out of the queue. A full queue refuses whoever has most calls in it. */
  queue(lane: string, fiber: AnyFiber, answer: QueueAnswer): () => void {
    const waiter: Waiter = {
      lane,
      admit: answer.admit,
      refuse: () => answer.refuse(this.#window?.wait(nowOf(fiber), this.#waiting.size) || undefined),
      before: undefined,
      after: undefined,
      linked: false,
    };
    const isFull = this.#waiting.size >= this.#longestQueue;
    const last = isFull ? this.#waiting.lastOfLongest(lane) : undefined;
    if (isFull && last === undefined) {
      waiter.refuse();
      return () => {};
    }
    if (last !== undefined) this.#waiting.remove(last);
    this.#waiting.push(waiter);
    this.#around = {
      clock: fiber.getRef(Clock.Clock),
      context: fiber.context,
      dispatcher: fiber.currentDispatcher,
    };
    this.#sleepUntilDue();
    // Only now: whoever is refused goes on at once and may come back here.
    last?.refuse();
    return () => {
      this.#waiting.remove(waiter);
      if (this.#waiting.size === 0) this.#rest();
    };
  }

  /** Admits into the room there is; what becomes free meanwhile waits, so that no leaver is kept for long. */
  readonly #admit = (): void => {
    if (this.#admitting) {
      this.#left = true;
      return;
    }
    this.#admitting = true;
    this.#left = false;
    try {
      let room = this.#capacity - this.#inside.size;
      while (room-- > 0 && this.#waiting.size > 0 && this.#untilDue() <= 0) this.#waiting.shift()?.admit();
    } finally {
      this.#admitting = false;
    }
    if (this.#waiting.size === 0) this.#rest();
    else if (this.#left) this.#around?.dispatcher.scheduleTask(this.#admit, 0);
    else this.#sleepUntilDue();
  };

  #untilDue(): number {
    const { clock } = this.#around ?? {};
    return clock === undefined ? 0 : (this.#window?.wait(clock.currentTimeMillisUnsafe()) ?? 0);
  }

  /** Without a rate, or with nobody's place free, it is a leaver who wakes the queue. */
  #sleepUntilDue(): void {
    if (this.#window === undefined || this.#around === undefined || this.#sleeping) return;
    if (this.#inside.size >= this.#capacity) return;
    const { clock, context } = this.#around;
    const pause = Duration.millis(Math.max(1, Math.ceil(this.#untilDue())));
    this.#sleeping = true;
    this.#sleeper = Effect.runForkWith(context)(
      Effect.map(clock.sleep(pause), () => {
        this.#sleeping = false;
        this.#admit();
      }),
    );
  }

  #rest(): void {
    this.#around = undefined;
    if (!this.#sleeping) return;
    this.#sleeping = false;
    this.#sleeper?.interruptUnsafe();
  }
}

const nowOf = (fiber: AnyFiber): number => fiber.getRef(Clock.Clock).currentTimeMillisUnsafe();
