import type { EntryClosing } from "../types/ledger.ts";
import { isChatRun, isSessionRun } from "../types/run-store.ts";

export const voidReasonOf = (runId: string): string => {
  if (isChatRun(runId)) return "its chat was deleted";
  return isSessionRun(runId) ? "its session was ended" : "its run was cancelled";
};

export const cancelledRunReason = (runId: string, by: string | undefined): string => {
  const what = describeCancellation(runId);
  return by === undefined ? `${what}.` : `${what} by ${by}.`;
};

const describeCancellation = (runId: string): string => {
  if (isChatRun(runId)) return "The chat was deleted";
  return isSessionRun(runId) ? "The session was ended" : "The run was cancelled";
};

export const cancelledCallClosing = (
  runId: string,
  entryId: string,
  ran: boolean | undefined,
): EntryClosing => ({
  entryId,
  ending: "failed",
  tool: undefined,
  code: "not_answered",
  message: `The call was not resumed, because ${voidReasonOf(runId)}.`,
  decision: undefined,
  flow: undefined,
  result: undefined,
  original: undefined,
  notes: [],
  durationMs: 0,
  ran,
});
