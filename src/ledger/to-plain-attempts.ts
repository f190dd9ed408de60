import type { Attempt, EntryClosing } from "../types/ledger.ts";

/** Evaluates the lazy hashes. */
export const toPlainAttempts = (attempts: EntryClosing["attempts"]): readonly Attempt[] | undefined =>
  attempts?.map(({ number, startedAt, inputHash, ending, ran }) => ({
    number,
    startedAt,
    inputHash,
    ending,
    ran,
  }));
