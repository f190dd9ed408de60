import type { LedgerEntry } from "../types/ledger.ts";

/** Closed again only by settling. */
export const isFinalEnding = (ending: LedgerEntry["ending"]): boolean =>
  ending === "executed" || ending === "failed" || ending === "unknown";

/** An unknown call may have taken effect: its key is kept until an operator settles it. */
export const isKnownEnding = (ending: LedgerEntry["ending"]): boolean =>
  isFinalEnding(ending) && ending !== "unknown";
