import * as Clock from "effect/Clock";
import type { Context } from "effect/Context";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type { Fiber } from "effect/Fiber";
import type { CallRequest } from "../../../types/call.ts";
import type { SharedLimit, SharedLimitGrant, SharedLimitsStore } from "../../../types/shared-limits.ts";
import { FairQueue, type Waiter } from "./fair-queue.ts";

type AnyFiber = Fiber<unknown, unknown>;

/** How somebody in the queue is told. */
export interface FleetQueueCallbacks {
  readonly admit: () => void;
  /** Nothing where the queue is full; else why nobody can be let in. */
  readonly refuse: (why: string | undefined) => void;
}

/** A grant that came later than this is given back: starts that were granted long ago would come in a heap. */
const maxGrantAgeMs = 100;
/** Calls that end at about the same time are reported together. */
const reportDelayMs = 10;

/**
 * One process's part of a limit that many share. What waits here is counted and asked for in one question at a time,
 * and so is what ended, so that a shared store is asked some times a second and not for each call.
 */
export class FleetLimit {
  readonly #limit: SharedLimit;
  readonly #store: SharedLimitsStore;
  readonly #maxQueueLength: number;
  readonly #holders = new Set<CallRequest>();
  readonly #queue = new FairQueue();
  #unusedGrants = 0;
  #isRequesting = false;
  #hasUnreportedReleases = false;
  #isScheduledSoon = false;
  /** Less was granted than was asked for. */
  #isUnderGranted = false;
  #sleeper: AnyFiber | undefined;
  #context: Context<never> | undefined;

  constructor(limit: SharedLimit, store: SharedLimitsStore, longestQueue: number) {
    this.#limit = limit;
    this.#store = store;
    this.#maxQueueLength = longestQueue;
    if (limit.concurrency === undefined) return;
    store.onFreed(limit.name, () => {
      // Sooner than it would by itself, and not as often as it is told.
      if (this.#queue.size > 0) this.#requestGrantSoon();
    });
  }

  isInside(request: CallRequest): boolean {
    return this.#holders.has(request);
  }

  enter(request: CallRequest): void {
    this.#holders.add(request);
  }

  leave(request: CallRequest): void {
    if (!this.#holders.delete(request) || this.#limit.concurrency === undefined) return;
    this.#hasUnreportedReleases = true;
    this.#requestGrantSoon();
  }

  /** Returns the way out of the queue. A full queue refuses whoever has most calls in it. */
  queue(lane: string, fiber: AnyFiber, answer: FleetQueueCallbacks): () => void {
    const waiter: Waiter = {
      lane,
      admit: answer.admit,
      refuse: () => answer.refuse(undefined),
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
    this.#context = fiber.context;
    this.#refusals.set(waiter, answer.refuse);
    // Where others wait for the time to ask again, one more does.
    if (!this.#isUnderGranted) this.#requestGrant();
    last?.refuse();
    return () => this.#queue.remove(waiter);
  }

  readonly #refusals = new WeakMap<Waiter, FleetQueueCallbacks["refuse"]>();

  #requestGrantSoon(): void {
    if (this.#isRequesting || this.#isScheduledSoon) return;
    this.#isScheduledSoon = true;
    this.#requestGrantIn(reportDelayMs);
  }

  #requestGrantIn(millis: number): void {
    this.#sleeper?.interruptUnsafe();
    if (this.#context === undefined) return;
    const sleep = Effect.sleep(Duration.millis(Math.max(1, Math.ceil(millis))));
    this.#sleeper = Effect.runForkWith(this.#context)(
      Effect.map(sleep, () => {
        this.#sleeper = undefined;
        this.#requestGrant();
      }),
    );
  }

  #requestGrant(): void {
    if (this.#isRequesting || this.#context === undefined) return;
    this.#sleeper?.interruptUnsafe();
    this.#sleeper = undefined;
    this.#isScheduledSoon = false;
    this.#isRequesting = true;
    this.#hasUnreportedReleases = false;
    const returned = this.#unusedGrants;
    this.#unusedGrants = 0;
    const taking = Effect.flatMap(Clock.Clock, (clock) => {
      const asked = clock.currentTimeMillisUnsafe();
      const take = { holding: this.#holders.size, wanted: this.#queue.size, returned };
      return Effect.map(this.#store.take(this.#limit, take), (grant) => ({
        ...grant,
        isLate: clock.currentTimeMillisUnsafe() - asked > maxGrantAgeMs,
      }));
    });
    const fiber = Effect.runForkWith(this.#context)(taking);
    fiber.addObserver((exit) => {
      this.#isRequesting = false;
      if (Exit.isSuccess(exit)) this.#applyGrant(exit.value);
      else this.#refuseAll();
    });
  }

  #applyGrant({ granted, retryMs, isLate }: SharedLimitGrant & { readonly isLate: boolean }): void {
    let left = granted;
    if (!isLate || this.#limit.rate === undefined) {
      for (; left > 0 && this.#queue.size > 0; left--) this.#queue.shift()?.admit();
    }
    // Whoever waited may have gone meanwhile: others can have its turn.
    this.#unusedGrants += left;
    this.#isUnderGranted = this.#queue.size > 0;
    if (this.#isUnderGranted) this.#requestGrantIn(isLate ? 1 : retryMs);
    else if (this.#hasUnreportedReleases || left > 0) this.#requestGrantIn(reportDelayMs);
    else if (this.#holders.size > 0 && this.#limit.concurrency !== undefined) {
      this.#requestGrantIn(this.#store.leaseMs / 3);
    }
  }

  /** Nobody can say whether there is room, so there is none. */
  #refuseAll(): void {
    const why = "the database that it is counted in does not answer";
    this.#isUnderGranted = false;
    for (let waiter = this.#queue.shift(); waiter !== undefined; waiter = this.#queue.shift()) {
      this.#refusals.get(waiter)?.(why);
    }
    if (this.#holders.size > 0 && this.#limit.concurrency !== undefined)
      this.#requestGrantIn(this.#store.leaseMs / 3);
  }
}
