import type { EntryClosing } from "../types/ledger.ts";
import { runKindRulesOf } from "../types/run-kinds.ts";

export const voidReasonOf = (runId: string): string => `its ${describeCancellation(runId)}`;

export const cancelledRunReason = (runId: string, by: string | undefined): string =>
  `The ${describeCancellation(runId)}${by === undefined ? "" : ` by ${by}`}.`;

const describeCancellation = (runId: string): string => {
  const { noun, ended } = runKindRulesOf(runId);
  return `${noun} was ${ended}`;
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
