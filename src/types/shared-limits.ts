import * as Context from "effect/Context";
import type { Effect } from "effect/Effect";
import type { LedgerError } from "./errors.ts";

/** How many calls all processes together may start, and have under way. */
export interface SharedLimit {
  /** The same name is the same limit, in whichever process. */
  readonly name: string;
  readonly rate?: { readonly count: number; readonly millis: number } | undefined;
  readonly concurrency?: number | undefined;
}

/** What one process has and wants of a limit. */
export interface SharedLimitDemand {
  /** Calls that are under way here. */
  readonly holding: number;
  /** Calls that wait here. */
  readonly wanted: number;
  /** Of what was granted before, starts that nobody made use of. */
  readonly returned: number;
}

export interface SharedLimitGrant {
  /** So many may start now. */
  readonly granted: number;
  /** When to ask for more, in milliseconds, if calls still wait. */
  readonly retryMs: number;
}

/** What all processes know of a tool that fails. */
export interface SharedBreakerState {
  /** Calls are kept away for so long; 0 where they are not. */
  readonly closedInMs: number;
  /** In a row, when it opened. */
  readonly failures: number;
  /** It has cooled down, and this process may send the one call that tests it. */
  readonly mayTest: boolean;
}

/** Where limits and breakers are kept that hold across processes. */
export interface SharedLimitsStore {
  readonly take: (limit: SharedLimit, take: SharedLimitDemand) => Effect<SharedLimitGrant, LedgerError>;
  /** Hears that a place may be free for somebody who waits in another process than the one that left it. */
  readonly onFreed: (name: string, listener: () => void) => () => void;
  /** How long a process that says nothing keeps its places, in milliseconds. */
  readonly leaseMs: number;
  /** `test` asks for the one call that may test a tool that has cooled down; who has it answers within the time. */
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

/** Nobody's by default: a layer that is to hold across a fleet then lets nothing through. */
export const SharedLimits: Context.Reference<SharedLimitsStore | undefined> = Context.Reference<
  SharedLimitsStore | undefined
>("haft/SharedLimits", { defaultValue: () => undefined });
