import * as Clock from "effect/Clock";
import type { Context } from "effect/Context";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type { Fiber } from "effect/Fiber";
import type { SchedulerDispatcher } from "effect/Scheduler";
import { checkFields } from "../../base/json/check-fields.ts";
import type { CallRequest } from "../../types/call.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { Outcome } from "../../types/outcome.ts";
import type { Handler, ToolLayer } from "../../types/tool.ts";
import { overloadedOutcome, queueLaneOf } from "./circuit.ts";
import { createFleetLimitLayer } from "./fleet-limit-layer.ts";
import { readCount, readFleetScopeName } from "./read-option.ts";
import { FairQueue, type Waiter } from "./waiting/fair-queue.ts";

const unitMillis = { second: 1_000, minute: 60_000, hour: 3_600_000 };

export type RateText = `${number} per ${keyof typeof unitMillis}`;

interface Rate {
  readonly count: number;
  readonly millis: number;
}

export const readRate = (text: string): Rate => {
  const match = /^([1-9]\d{0,8}) per (second|minute|hour)$/.exec(text.trim());
  if (match !== null)
    return { count: Number(match[1]), millis: unitMillis[match[2] as keyof typeof unitMillis] };
  throw new ConfigurationError(
    "invalid_config",
    `limit rate is ${JSON.stringify(text)}; it must be "N per second", "N per minute" or "N per hour", such as "100 per minute".`,
  );
};

/** A sliding window over the last starts. A wall clock that was set back opens the window. */
export class RateWindow {
  readonly #rate: Rate;
  readonly #starts: number[] = [];
  #oldest = 0;

  constructor(rate: Rate) {
    this.#rate = rate;
  }

  /** Time until a start is possible after `ahead` others. */
  wait(now: number, ahead = 0): number {
    const { count, millis } = this.#rate;
    const free = count - this.#starts.length;
    if (ahead < free) return 0;
    const rounds = Math.floor((ahead - free) / count);
    // Until the window is full for the first time, the first start is the oldest.
    const oldest = free > 0 ? 0 : this.#oldest;
    const start = this.#starts[(oldest + ((ahead - free) % count)) % count] ?? now;
    const elapsed = now - start;
    return (elapsed < 0 ? 0 : Math.max(0, millis - elapsed)) + rounds * millis;
  }

  take(now: number): void {
    this.#starts[this.#oldest] = now;
    this.#oldest = (this.#oldest + 1) % this.#rate.count;
  }
}

/** Options of the `limit` layer. */
export interface LimitOptions {
  /** Maximum number of running calls. Unless set: unlimited. */
  readonly concurrency?: number;
  /** Maximum number of starts in any second, minute or hour. Unless set: unlimited. */
  readonly rate?: RateText;
  /** Maximum number of waiting calls; further ones fail with `overloaded`. Unless set: 1,000. */
  readonly queue?: number;
  /** `fleet` counts the calls of all processes. Unless set: `process`. */
  readonly scope?: "process" | "fleet";
  /** Identifies a fleet limit across processes. */
  readonly name?: string;
}

/**
 * Limits the calls through this layer, or through all fleet limits of the same name. Callers share the queue
 * fairly.
 */
export const limit = (options: LimitOptions = {}): ToolLayer => {
  checkFields("limit", options, ["concurrency", "rate", "queue", "scope", "name"]);
  const name = readFleetScopeName("limit", options);
  const concurrency =
    options.concurrency === undefined ? undefined : readCount("limit concurrency", options.concurrency, 1);
  const rate = options.rate === undefined ? undefined : readRate(options.rate);
  const queue = readCount("limit queue", options.queue ?? 1_000, 0);
  if (name !== undefined) {
    const shared = createFleetLimitLayer({ name, rate, concurrency }, queue);
    return Object.assign(shared, { label: "limit", runsNoCode: true });
  }
  const limiter = new ConcurrencyLimit(concurrency ?? Number.POSITIVE_INFINITY, rate, queue);

  const wrap =
    (next: Handler): Handler =>
    (call) => {
      let inside = false;
      // Registers the finalizer first, so that a place is always released.
      return Effect.onExitPrimitive(
        Effect.withFiber((fiber) => {
          const { request } = call;
          // A limit used at two scopes takes one place per call; otherwise a call would wait for itself.
          if (limiter.isInside(request)) return next(call);
          if (limiter.tryEnter(request, fiber)) {
            inside = true;
            return next(call);
          }
          return Effect.callback<Outcome>((resume) => {
            const leaveQueue = limiter.queue(queueLaneOf(call), fiber, {
              admit: () => {
                inside = true;
                limiter.enter(request, fiber);
                resume(Effect.suspend(() => next(call)));
              },
              refuse: (retryAfterMs) => resume(Effect.succeed(overloadedOutcome(call, retryAfterMs))),
            });
            return Effect.sync(leaveQueue);
          });
        }),
        () => {
          if (inside) {
            inside = false;
            limiter.leave(call.request);
          }
          return undefined;
        },
      );
    };

  return Object.assign(wrap, { label: "limit", runsNoCode: true });
};

type AnyFiber = Fiber<unknown, unknown>;

/** Taken from the latest waiting fiber, because fibers that ended have no clock. */
interface QueueContext {
  readonly clock: Clock.Clock;
  readonly context: Context<never>;
  readonly dispatcher: SchedulerDispatcher;
}

interface QueueCallbacks {
  readonly admit: () => void;
  readonly refuse: (retryAfterMs: number | undefined) => void;
}

class ConcurrencyLimit {
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
