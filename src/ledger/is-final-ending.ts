import type { LedgerEntry } from "../types/ledger.ts";

/** Closed again only by settling. */
export const isFinalEnding = (ending: LedgerEntry["ending"] | "settled"): boolean =>
  ending === "executed" || ending === "settled" || ending === "failed" || ending === "unknown";
