import type { RunTally } from "../words/call.ts";

export const newTally = (taints: readonly string[] = []): RunTally => ({
  calls: 0,
  cost: 0,
  taints: [...new Set(taints)],
});

/** From now on the run has heard words that are not to be trusted. */
export const addTaint = (tally: RunTally, taint: string): void => {
  if (!tally.taints.includes(taint)) tally.taints = [...tally.taints, taint];
};
