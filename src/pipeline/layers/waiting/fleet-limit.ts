import * as Clock from "effect/Clock";
import type { Context } from "effect/Context";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type { Fiber } from "effect/Fiber";
import type { CallRequest } from "../../words/call.ts";
import type { SharedGrant, SharedLimit, SharedLimitsStore } from "../../words/shared-limits.ts";
import { FairQueue, type Waiter } from "./fair-queue.ts";

type AnyFiber = Fiber<unknown, unknown>;

/** How somebody in the queue is told. */
export interface FleetAnswer {
  readonly admit: () => void;
  /** Nothing where the queue is full; else why nobody can be let in. */
  readonly refuse: (why: string | undefined) => void;
}

/** A grant that came later than this is given back: starts that were granted long ago would come in a heap. */
const latestMs = 100;
/** Calls that end at about the same time are reported together. */
const reportMs = 10;

/**
 * One process's part of a limit that many share. What waits here is counted and asked for in one question at a time,
 * and so is what ended, so that a shared store is asked some times a second and not for each call.
 */
export class FleetLimit {
  readonly #limit: SharedLimit;
  readonly #store: SharedLimitsStore;
  readonly #longestQueue: number;
  readonly #inside = new Set<CallRequest>();
  readonly #waiting = new FairQueue();
  #unused = 0;
  #isAsking = false;
  #hasEnded = false;
  #isSoon = false;
  /** Less was granted than was asked for. */
  #isShort = false;
  #sleeper: AnyFiber | undefined;
  #context: Context<never> | undefined;

  constructor(limit: SharedLimit, store: SharedLimitsStore, longestQueue: number) {
    this.#limit = limit;
    this.#store = store;
    this.#longestQueue = longestQueue;
    if (limit.concurrency === undefined) return;
    store.onFreed(limit.name, () => {
      // Sooner than it would by itself, and not as often as it is told.
      if (this.#waiting.size > 0) this.#askSoon();
    });
  }

  isInside(request: CallRequest): boolean {
    return this.#inside.has(request);
  }

  enter(request: CallRequest): void {
    this.#inside.add(request);
  }

  leave(request: CallRequest): void {
    if (!this.#inside.delete(request) || this.#limit.concurrency === undefined) return;
    this.#hasEnded = true;
    this.#askSoon();
  }

  /** Returns the way out of the queue. A full queue refuses whoever has most calls in it. */
  queue(lane: string, fiber: AnyFiber, answer: FleetAnswer): () => void {
    const waiter: Waiter = {
      lane,
      admit: answer.admit,
      refuse: () => answer.refuse(undefined),
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
    this.#context = fiber.context;
    this.#refusals.set(waiter, answer.refuse);
    // Where others wait for the time to ask again, one more does.
    if (!this.#isShort) this.#ask();
    last?.refuse();
    return () => this.#waiting.remove(waiter);
  }

  readonly #refusals = new WeakMap<Waiter, FleetAnswer["refuse"]>();

  #askSoon(): void {
    if (this.#isAsking || this.#isSoon) return;
    this.#isSoon = true;
    this.#askIn(reportMs);
  }

  #askIn(millis: number): void {
    this.#sleeper?.interruptUnsafe();
    if (this.#context === undefined) return;
    const sleep = Effect.sleep(Duration.millis(Math.max(1, Math.ceil(millis))));
    this.#sleeper = Effect.runForkWith(this.#context)(
      Effect.map(sleep, () => {
        this.#sleeper = undefined;
        this.#ask();
      }),
    );
  }

  #ask(): void {
    if (this.#isAsking || this.#context === undefined) return;
    this.#sleeper?.interruptUnsafe();
    this.#sleeper = undefined;
    this.#isSoon = false;
    this.#isAsking = true;
    this.#hasEnded = false;
    const returned = this.#unused;
    this.#unused = 0;
    const taking = Effect.flatMap(Clock.Clock, (clock) => {
      const asked = clock.currentTimeMillisUnsafe();
      const take = { holding: this.#inside.size, wanted: this.#waiting.size, returned };
      return Effect.map(this.#store.take(this.#limit, take), (grant) => ({
        ...grant,
        isLate: clock.currentTimeMillisUnsafe() - asked > latestMs,
      }));
    });
    const fiber = Effect.runForkWith(this.#context)(taking);
    fiber.addObserver((exit) => {
      this.#isAsking = false;
      if (Exit.isSuccess(exit)) this.#use(exit.value);
      else this.#refuseAll();
    });
  }

  #use({ granted, retryMs, isLate }: SharedGrant & { readonly isLate: boolean }): void {
    let left = granted;
    if (!isLate || this.#limit.rate === undefined) {
      for (; left > 0 && this.#waiting.size > 0; left--) this.#waiting.shift()?.admit();
    }
    // Whoever waited may have gone meanwhile: others can have its turn.
    this.#unused += left;
    this.#isShort = this.#waiting.size > 0;
    if (this.#isShort) this.#askIn(isLate ? 1 : retryMs);
    else if (this.#hasEnded || left > 0) this.#askIn(reportMs);
    else if (this.#inside.size > 0 && this.#limit.concurrency !== undefined) {
      this.#askIn(this.#store.leaseMs / 3);
    }
  }

  /** Nobody can say whether there is room, so there is none. */
  #refuseAll(): void {
    const why = "the database that it is counted in does not answer";
    this.#isShort = false;
    for (let waiter = this.#waiting.shift(); waiter !== undefined; waiter = this.#waiting.shift()) {
      this.#refusals.get(waiter)?.(why);
    }
    if (this.#inside.size > 0 && this.#limit.concurrency !== undefined) this.#askIn(this.#store.leaseMs / 3);
  }
}
