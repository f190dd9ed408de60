import * as Clock from "effect/Clock";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type { Exit } from "effect/Exit";
import * as Fiber from "effect/Fiber";
import { canonicalJson } from "../../base/json/canonical-json.ts";
import { checkFields } from "../../base/json/check-fields.ts";
import { copyJson } from "../../base/json/copy-json.ts";
import { type AuthorizedCall, type CallRequest, isSealedCall } from "../../types/call.ts";
import { type Outcome, type ValueOutcome, withCopiedValue } from "../../types/outcome.ts";
import { type Handler, isReadOnly, type LayeredTool, type ToolLayer } from "../../types/tool.ts";
import { readCount, readMillis } from "./read-option.ts";

/** Options of the `cache` layer. */
export interface CacheOptions {
  readonly ttl?: Duration.Input;
  /** Maximum number of entries; the least recently used is evicted. */
  readonly max?: number;
  /** Shares entries among all callers. Only for tools whose result does not depend on the caller. */
  readonly shared?: boolean;
}

const explainIdleCache = ({ spec }: LayeredTool): string | undefined =>
  isReadOnly(spec)
    ? undefined
    : "only read-only tools are cached: set annotations: { readOnly: true } if it only reads";

interface CacheEntry {
  readonly outcome: ValueOutcome;
  readonly at: number;
}

/**
 * Caches results of read-only tools and deduplicates concurrent calls. Failures and outcomes that end or
 * redirect a run are not cached.
 */
export const cache = (options: CacheOptions = {}): ToolLayer => {
  checkFields("cache", options, ["ttl", "max", "shared"]);
  const ttl = readMillis("cache ttl", options.ttl ?? "1 minute");
  const max = readCount("cache max", options.max ?? 1_000, 1);
  const keyOf = createCacheKey(options.shared === true);
  const entries = new Map<string, CacheEntry>();
  const flights = new SingleFlight();

  const readEntry = (key: string, now: number): Outcome | undefined => {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    entries.delete(key);
    const age = now - entry.at;
    // A negative age means that the wall clock was set back.
    if (age < 0 || age >= ttl) return undefined;
    entries.set(key, entry);
    return copyOutcome(entry.outcome);
  };

  const storeEntry = (key: string, outcome: Outcome, now: number): void => {
    if (outcome._tag !== "value" || outcome.flow.kind !== "continue") return;
    const copy = copyJson(outcome.value);
    if (!copy.ok) return;
    entries.delete(key);
    entries.set(key, { outcome: withCopiedValue(outcome, copy.value), at: now });
    if (entries.size > max) entries.delete(entries.keys().next().value as string);
  };

  const wrap =
    (next: Handler): Handler =>
    (call) => {
      // A changed input must reach the gate, because a cached result would skip its authorization.
      if (!isReadOnly(call.spec) || !isSealedCall(call)) return next(call);
      return Effect.withFiber((fiber) => {
        const key = keyOf(call);
        if (key === undefined || flights.isOwner(key, call.request)) return next(call);
        const clock = fiber.getRef(Clock.Clock);
        const cached = readEntry(key, clock.currentTimeMillisUnsafe());
        if (cached !== undefined) {
          call.recorder.note("cache: answered from memory");
          return Effect.succeed(cached);
        }
        return flights.join({
          key,
          request: call.request,
          work: () => next(call),
          onSettled: (outcome) => storeEntry(key, outcome, clock.currentTimeMillisUnsafe()),
          share: (outcome, owner) => {
            call.recorder.note(`cache: shared the answer of ${owner.entryId}`);
            return copyOutcome(outcome);
          },
        });
      });
    };

  return Object.assign(wrap, { label: "cache", runsNoCode: true, idleAround: explainIdleCache });
};

const copyOutcome = (outcome: Outcome): Outcome => {
  if (outcome._tag !== "value") return outcome;
  const copy = copyJson(outcome.value);
  return copy.ok ? withCopiedValue(outcome, copy.value) : outcome;
};

/** Undefined for input that is not JSON. */
const createCacheKey = (shared: boolean): ((call: AuthorizedCall) => string | undefined) => {
  const numbers = new WeakMap<object, number>();
  let count = 0;
  const numberOf = (value: object): number => {
    const known = numbers.get(value) ?? ++count;
    numbers.set(value, known);
    return known;
  };
  return ({ registration, principal, env, input }) => {
    const envKey = typeof env === "object" && env !== null ? numberOf(env) : String(env);
    try {
      return canonicalJson([
        numberOf(registration),
        registration.key,
        shared ? null : [principal, envKey],
        input,
      ]);
    } catch {
      return undefined;
    }
  };
};

interface SharedWork {
  readonly owner: CallRequest;
  readonly waiters: Set<(exit: Exit<Outcome>) => void>;
  work: Fiber.Fiber<Outcome> | undefined;
}

interface FlightRequest {
  readonly key: string;
  readonly request: CallRequest;
  readonly work: () => Effect.Effect<Outcome>;
  readonly onSettled: (outcome: Outcome) => void;
  readonly share: (outcome: Outcome, owner: CallRequest) => Outcome;
}

/** Deduplicates concurrent work. The work is interrupted when its last waiting call leaves. */
class SingleFlight {
  readonly #flights = new Map<string, SharedWork>();

  /** The owner must not wait for itself. */
  isOwner(key: string, request: CallRequest): boolean {
    return this.#flights.get(key)?.owner === request;
  }

  join(join: FlightRequest): Effect.Effect<Outcome> {
    const { key, request, work } = join;
    return Effect.withFiber((fiber) =>
      Effect.callback((resume) => {
        const found = this.#flights.get(key);
        const flight = found ?? { owner: request, waiters: new Set(), work: undefined };
        const rider = (exit: Exit<Outcome>): void =>
          resume(
            found === undefined ? exit : Effect.map(exit, (outcome) => join.share(outcome, flight.owner)),
          );
        flight.waiters.add(rider);
        if (found === undefined) {
          this.#flights.set(key, flight);
          flight.work = Effect.runForkWith(fiber.context)(Effect.suspend(work));
          flight.work.addObserver((exit) => this.#settle(join, flight, exit));
        }
        return Effect.suspend(() => {
          flight.waiters.delete(rider);
          if (flight.waiters.size > 0 || flight.work === undefined) return Effect.void;
          this.#removeFlight(key, flight);
          return Fiber.interrupt(flight.work);
        });
      }),
    );
  }

  #settle({ key, onSettled }: FlightRequest, flight: SharedWork, exit: Exit<Outcome>): void {
    this.#removeFlight(key, flight);
    if (exit._tag === "Success") onSettled(exit.value);
    for (const rider of flight.waiters) rider(exit);
  }

  #removeFlight(key: string, flight: SharedWork): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}
