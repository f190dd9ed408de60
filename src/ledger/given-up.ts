import type { Closing } from "../words/ledger.ts";

/** Why a run is `stopped` that somebody gave up. */
export const givenUpReason = (by: string | undefined): string =>
  by === undefined ? "It was given up." : `It was given up by ${by}.`;

/** How a call ends that waited for a person or an orchestrator when its run was given up. */
export const givenUpClosing = (entryId: string, ran: boolean | undefined): Closing => ({
  entryId,
  ending: "failed",
  tool: undefined,
  code: "not_answered",
  message: "Nobody goes on with the call, because its run was given up.",
  decision: undefined,
  flow: undefined,
  result: undefined,
  original: undefined,
  notes: [],
  durationMs: 0,
  ran,
});

export const annulledBecause = "its run was given up";
