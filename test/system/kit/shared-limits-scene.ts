import * as Effect from "effect/Effect";
import { LedgerError } from "../../../src/words/errors.ts";
import type { ToolLayer } from "../../../src/words/layer.ts";
import { SharedLimits, type SharedLimitsStore, type SharedTake } from "../../../src/words/shared-limits.ts";

/** A store in which everything is granted, unless a test says otherwise, and what it was asked. */
export const sharedLimitsScene = (given: Partial<SharedLimitsStore> = {}) => {
  const takes: SharedTake[] = [];
  const told: string[] = [];
  const store: SharedLimitsStore = {
    leaseMs: 6_000,
    onFreed: () => () => {},
    take: (_, take) => {
      takes.push(take);
      return Effect.succeed({ granted: take.wanted, retryMs: 100 });
    },
    readBreaker: () => Effect.succeed({ closedInMs: 0, failures: 0, mayTest: false }),
    openBreaker: (name, { failures }) => Effect.sync(() => void told.push(`open ${name} ${failures}`)),
    closeBreaker: (name) => Effect.sync(() => void told.push(`close ${name}`)),
    ...given,
  };
  /** The layer as it stands in a runtime that has a fleet. */
  const within =
    (layer: ToolLayer): ToolLayer =>
    (next) =>
    (call) =>
      Effect.provideService(layer(next)(call), SharedLimits, store);
  return { store, takes, told, within };
};

export const storeDown = Effect.fail(new LedgerError("ledger_unavailable", "it is away"));
