import type { LedgerEntry } from "../types/ledger.ts";

/** Whether nothing more comes of an entry with this ending: it is not closed again. */
export const isFinalEnding = (ending: LedgerEntry["ending"]): boolean =>
  ending === "executed" || ending === "failed" || ending === "unknown";
