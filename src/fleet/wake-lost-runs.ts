import { ask } from "./ask.ts";
import type { Connection } from "./connect.ts";
import { findLostRuns } from "./find-lost-runs.ts";
import { resetShares } from "./shares.ts";

/** Wakes every run that was lost on its way. Gives how many. */
export const sweep = async ({ shared, ledger, queue, jobs }: Connection): Promise<number> => {
  // Asking for runs frees those of the dead.
  await ask(shared, ledger.runs.list({ status: "running", limit: 1 }));
  const lost = await findLostRuns(queue);
  await Promise.all(lost.map(({ runId, note }) => jobs.wake(runId, note)));
  await resetShares(queue);
  return lost.length;
};
