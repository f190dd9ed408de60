import type { LedgerEntry } from "../words/ledger.ts";

/** Whether nothing more comes of an entry with this ending: it is not closed again. */
export const isEnded = (ending: LedgerEntry["ending"]): boolean =>
  ending === "executed" || ending === "failed" || ending === "unknown";
