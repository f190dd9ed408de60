import type { Attempt, EntryClosing } from "../types/ledger.ts";

/** Attempts as data: the corridor's own are read when they are asked for, and a row is written once. */
export const toPlainAttempts = (attempts: EntryClosing["attempts"]): readonly Attempt[] | undefined =>
  attempts?.map(({ number, startedAt, inputHash, ending, ran }) => ({
    number,
    startedAt,
    inputHash,
    ending,
    ran,
  }));
