import * as Context from "effect/Context";
import type { Effect } from "effect/Effect";
import type { LedgerError } from "./errors.ts";

export interface SharedLimit {
  readonly name: string;
  readonly rate?: { readonly count: number; readonly millis: number } | undefined;
  readonly concurrency?: number | undefined;
}

export interface SharedLimitDemand {
  readonly holding: number;
  readonly wanted: number;
  /** Starts that were granted before and not used. */
  readonly returned: number;
}

export interface SharedLimitGrant {
  readonly granted: number;
  readonly retryMs: number;
}

export interface SharedBreakerState {
  /** Time in milliseconds until the breaker admits a test call; 0 if it is not open. */
  readonly closedInMs: number;
  readonly failures: number;
  readonly mayTest: boolean;
}

export interface SharedLimitsStore {
  readonly take: (limit: SharedLimit, take: SharedLimitDemand) => Effect<SharedLimitGrant, LedgerError>;
  readonly onFreed: (name: string, listener: () => void) => () => void;
  readonly leaseMs: number;
  /** `test` claims the single test call of a breaker that has cooled down. */
  readonly readBreaker: (
    name: string,
    test: { readonly withinMs: number },
  ) => Effect<SharedBreakerState, LedgerError>;
  readonly openBreaker: (
    name: string,
    open: { readonly failures: number; readonly forMs: number },
  ) => Effect<void, LedgerError>;
  readonly closeBreaker: (name: string) => Effect<void, LedgerError>;
}

/** Undefined by default: a layer that needs it then refuses all calls. */
export const SharedLimits: Context.Reference<SharedLimitsStore | undefined> = Context.Reference<
  SharedLimitsStore | undefined
>("haft/SharedLimits", { defaultValue: () => undefined });
