import type { Closing } from "../words/ledger.ts";
import { isSessionRun } from "../words/run-book.ts";

/** Why what is open of a run is void that nobody goes on with. A session ends in no other way. */
export const annulledBecause = (runId: string): string =>
  isSessionRun(runId) ? "its session was ended" : "its run was given up";

/** Why a run is `stopped` that somebody gave up. */
export const givenUpReason = (runId: string, by: string | undefined): string => {
  const what = isSessionRun(runId) ? "The session was ended" : "It was given up";
  return by === undefined ? `${what}.` : `${what} by ${by}.`;
};

/** How a call ends that waited for a person or an orchestrator when its run was given up. */
export const givenUpClosing = (runId: string, entryId: string, ran: boolean | undefined): Closing => ({
  entryId,
  ending: "failed",
  tool: undefined,
  code: "not_answered",
  message: `Nobody goes on with the call, because ${annulledBecause(runId)}.`,
  decision: undefined,
  flow: undefined,
  result: undefined,
  original: undefined,
  notes: [],
  durationMs: 0,
  ran,
});
