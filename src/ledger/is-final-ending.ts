import type { LedgerEntry } from "../types/ledger.ts";

/** Closed again only by settling. */
export const isFinalEnding = (ending: LedgerEntry["ending"]): boolean =>
  ending === "executed" || ending === "failed" || ending === "unknown";
