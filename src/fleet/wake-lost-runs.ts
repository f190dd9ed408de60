import type { FleetConnection } from "./connect-fleet.ts";
import { resetShares } from "./fair-queueing.ts";
import { findLostRuns } from "./find-lost-runs.ts";
import { runOrThrow } from "./run-or-throw.ts";

export const wakeLostRuns = async ({ shared, ledger, queue, jobs }: FleetConnection): Promise<number> => {
  // Listing runs releases those of dead processes.
  await runOrThrow(shared, ledger.runs.list({ status: "running", limit: 1 }));
  const lost = await findLostRuns(queue);
  await Promise.all(lost.map(({ runId, note }) => jobs.wake(runId, note)));
  await resetShares(queue);
  return lost.length;
};
