import type { LedgerEntry } from "../../types/ledger.ts";

/**
 * Values of the column `ending`. `settled` is an executed call that an operator or `reconcile` settled: the
 * index on endings leaves out executed calls.
 */
export type StoredEnding = LedgerEntry["ending"] | "settled";

export const toEntryEnding = (ending: StoredEnding): LedgerEntry["ending"] =>
  ending === "settled" ? "executed" : ending;
