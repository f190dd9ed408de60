import * as Effect from "effect/Effect";
import type { LedgerStore } from "../../../src/types/ledger.ts";
import type { RunStore } from "../../../src/types/run-store.ts";
import type { Mutation } from "./shared-store.ts";

/** Stores that break one promise each. A simulation that does not notice one of them proves nothing. */
export const mutations = {
  /** Openings and closings are written under whatever claim: nobody checks their epoch. */
  "entries without epochs": (store) => ({
    ...store,
    open: (opening) => store.open({ ...opening, epoch: undefined }),
    close: (closing) => store.close({ ...closing, epoch: undefined }),
  }),
  /** Whoever claims a run that somebody holds is told the epoch of that one. */
  "two claims win": (store) => withRuns(store, twoClaimsWin),
  /** A run that was given up is not fenced off: whoever gives up is told so, and nothing happens. */
  "giving up does nothing": (store) =>
    withRuns(store, (runs) => ({ ...runs, giveUp: () => Effect.succeed("given-up") })),
  /** A call that was under way when its process died reads as if it had never started. */
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
