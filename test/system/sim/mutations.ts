import * as Effect from "effect/Effect";
import type { LedgerStore } from "../../../src/types/ledger.ts";
import type { RunStore } from "../../../src/types/run-store.ts";
import type { Mutation } from "./shared-store.ts";

/** Stores that violate one invariant each. A simulation that does not detect one of them proves nothing. */
export const mutations = {
  /** Openings and closings are written without a check of their epoch. */
  "entries without epochs": (store) => ({
    ...store,
    open: (opening) => store.open({ ...opening, epoch: undefined }),
    close: (closing) => store.close({ ...closing, epoch: undefined }),
  }),
  /** A claim of a held run returns the epoch of its holder. */
  "two claims win": (store) => withRuns(store, twoClaimsWin),
  /** Cancelling a run reports success without any effect. */
  "giving up does nothing": (store) =>
    withRuns(store, (runs) => ({ ...runs, cancel: () => Effect.succeed("given-up") })),
  /** A call of a dead process reads as if it had never started. */
  "lost calls are forgotten": (store) => ({
    ...store,
    entries: (query) =>
      Effect.map(store.entries(query), (all) =>
        query?.callId === undefined ? all : all.filter(({ ending }) => ending !== "unknown"),
      ),
  }),
} satisfies Readonly<Record<string, Mutation>>;

export type MutationName = keyof typeof mutations;

const withRuns = (store: LedgerStore, change: (runs: RunStore) => RunStore): LedgerStore =>
  store.runs === undefined ? store : { ...store, runs: change(store.runs) };

const twoClaimsWin = (runs: RunStore): RunStore => {
  const epochs = new Map<string, number>();
  const learn =
    (runId: string) =>
    (epoch: number): number => {
      epochs.set(runId, epoch);
      return epoch;
    };
  return {
    ...runs,
    begin: (start) => Effect.map(runs.begin(start), learn(start.runId)),
    claim: (runId, at) =>
      Effect.map(runs.claim(runId, at), (epoch) =>
        epoch === undefined ? epochs.get(runId) : learn(runId)(epoch),
      ),
  };
};
