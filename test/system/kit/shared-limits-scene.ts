import * as Effect from "effect/Effect";
import { LedgerError } from "../../../src/types/errors.ts";
import {
  type SharedLimitDemand,
  SharedLimits,
  type SharedLimitsStore,
} from "../../../src/types/shared-limits.ts";
import type { ToolLayer } from "../../../src/types/tool.ts";

/** A store that grants everything unless a test overrides it, and records its requests. */
export const sharedLimitsScene = (given: Partial<SharedLimitsStore> = {}) => {
  const takes: SharedLimitDemand[] = [];
  const breakerEvents: string[] = [];
  const store: SharedLimitsStore = {
    leaseMs: 6_000,
    onFreed: () => () => {},
    take: (_, take) => {
      takes.push(take);
      return Effect.succeed({ granted: take.wanted, retryMs: 100 });
    },
    readBreaker: () => Effect.succeed({ closedInMs: 0, failures: 0, mayTest: false }),
    openBreaker: (name, { failures }) =>
      Effect.sync(() => void breakerEvents.push(`open ${name} ${failures}`)),
    closeBreaker: (name) => Effect.sync(() => void breakerEvents.push(`close ${name}`)),
    ...given,
  };
  /** The layer as in a runtime with a fleet. */
  const withSharedLimits =
    (layer: ToolLayer): ToolLayer =>
    (next) =>
    (call) =>
      Effect.provideService(layer(next)(call), SharedLimits, store);
  return { store, takes, reported: breakerEvents, within: withSharedLimits };
};

export const storeUnavailable = Effect.fail(new LedgerError("ledger_unavailable", "it is away"));
