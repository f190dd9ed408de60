import type { FleetConnection } from "./connect-fleet.ts";
import { resetShares } from "./fair-queueing.ts";
import { findLostRuns } from "./find-lost-runs.ts";
import { runOrThrow } from "./run-or-throw.ts";

/** Wakes every run that was lost on its way. Gives how many. */
export const wakeLostRuns = async ({ shared, ledger, queue, jobs }: FleetConnection): Promise<number> => {
  // Asking for runs frees those of the dead.
  await runOrThrow(shared, ledger.runs.list({ status: "running", limit: 1 }));
  const lost = await findLostRuns(queue);
  await Promise.all(lost.map(({ runId, note }) => jobs.wake(runId, note)));
  await resetShares(queue);
  return lost.length;
};
