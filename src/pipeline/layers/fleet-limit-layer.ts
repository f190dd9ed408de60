import * as Clock from "effect/Clock";
import type { Context } from "effect/Context";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type { Fiber } from "effect/Fiber";
import type { AuthorizedCall, CallRequest } from "../../types/call.ts";
import { failed, type Outcome } from "../../types/outcome.ts";
import {
  type SharedLimit,
  type SharedLimitGrant,
  SharedLimits,
  type SharedLimitsStore,
} from "../../types/shared-limits.ts";
import type { Handler } from "../../types/tool.ts";
import { overloadedOutcome, queueLaneOf } from "./circuit.ts";
import { FairQueue, type Waiter } from "./waiting/fair-queue.ts";

export const createFleetLimitLayer = (limit: SharedLimit, queue: number): ((next: Handler) => Handler) => {
  // Each runtime has its own store; the limit is shared by name.
  const limits = new WeakMap<SharedLimitsStore, FleetLimit>();
  const limitOf = (store: SharedLimitsStore): FleetLimit => {
    const fleetLimit = limits.get(store) ?? new FleetLimit(limit, store, queue);
    limits.set(store, fleetLimit);
    return fleetLimit;
  };
  return (next) => (call) => {
    let inside: FleetLimit | undefined;
    const { request } = call;
    // Registers the finalizer first, so that a place is always released.
    return Effect.onExitPrimitive(
      Effect.withFiber((fiber) => {
        const store = fiber.getRef(SharedLimits);
        if (store === undefined) return Effect.succeed(fleetMissingOutcome(call, "limit"));
        const fleetLimit = limitOf(store);
        if (fleetLimit.isInside(request)) return next(call);
        return Effect.callback<Outcome>((resume) => {
          const leaveQueue = fleetLimit.queue(queueLaneOf(call), fiber, {
            admit: () => {
              inside = fleetLimit;
              fleetLimit.enter(request);
              resume(Effect.suspend(() => next(call)));
            },
            refuse: (why) => resume(Effect.succeed(overloadedOutcome(call, undefined, why))),
          });
          return Effect.sync(leaveQueue);
        });
      }),
      () => {
        inside?.leave(request);
        inside = undefined;
        return undefined;
      },
    );
  };
};

type AnyFiber = Fiber<unknown, unknown>;

interface FleetQueueCallbacks {
  readonly admit: () => void;
  readonly refuse: (why: string | undefined) => void;
}

/** A later response is returned unused: starts granted long ago would exceed the rate. */
const maxGrantAgeMs = 100;
const reportDelayMs = 10;

/**
 * Reports waiting and ended calls in one request at a time, so that the store gets a few requests per second.
 */
class FleetLimit {
  readonly #limit: SharedLimit;
  readonly #store: SharedLimitsStore;
  readonly #maxQueueLength: number;
  readonly #holders = new Set<CallRequest>();
  readonly #queue = new FairQueue();
  #unusedGrants = 0;
  #isRequesting = false;
  #hasUnreportedReleases = false;
  #isScheduledSoon = false;
  #isUnderGranted = false;
  #sleeper: AnyFiber | undefined;
  #context: Context<never> | undefined;

  constructor(limit: SharedLimit, store: SharedLimitsStore, longestQueue: number) {
    this.#limit = limit;
    this.#store = store;
    this.#maxQueueLength = longestQueue;
    if (limit.concurrency === undefined) return;
    store.onFreed(limit.name, () => {
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

  /**
   * Returns a function that leaves the queue. A full queue refuses a call of the caller with most waiting
   * calls.
   */
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
    // Waiting calls may have left since the request; the grants are returned.
    this.#unusedGrants += left;
    this.#isUnderGranted = this.#queue.size > 0;
    if (this.#isUnderGranted) this.#requestGrantIn(isLate ? 1 : retryMs);
    else if (this.#hasUnreportedReleases || left > 0) this.#requestGrantIn(reportDelayMs);
    else if (this.#holders.size > 0 && this.#limit.concurrency !== undefined) {
      this.#requestGrantIn(this.#store.leaseMs / 3);
    }
  }

  #refuseAll(): void {
    const why = "the database with its counters does not answer";
    this.#isUnderGranted = false;
    for (let waiter = this.#queue.shift(); waiter !== undefined; waiter = this.#queue.shift()) {
      this.#refusals.get(waiter)?.(why);
    }
    if (this.#holders.size > 0 && this.#limit.concurrency !== undefined)
      this.#requestGrantIn(this.#store.leaseMs / 3);
  }
}

export const fleetMissingOutcome = (call: AuthorizedCall, layer: string): Outcome =>
  failed({
    code: "layer_broke",
    tool: call.registration.key,
    ran: false,
    message: `${layer}({ scope: "fleet" }) around "${call.registration.key}" needs a fleet, and this runtime has none. Open it with Haft.open({ ledger: "postgres://…", fleet: fleet() }), fleet of haft/fleet, and set HAFT_LEDGER_KEY.`,
  });
