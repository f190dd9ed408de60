import { hashText } from "../../base/json/hash.ts";
import type { ProgramAnswer } from "../sandbox.ts";

/**
 * What a program has done until it was stopped. The same source with the same answers in the same order makes the same
 * calls, so this is enough to bring it to the same place again.
 */
export interface ProgramJournal {
  /** What the program sees as the time, over all its starts. */
  readonly now: number;
  /** Its calls in the order it made them: the tool, and a hash of the arguments. */
  readonly calls: readonly JournaledCall[];
  /** The answers in the order it was given them. A call without one waits for a person. */
  readonly answers: readonly (readonly [number: number, answer: ProgramAnswer])[];
}

export type JournaledCall = readonly [tool: string, inputHash: string];

/** A program that has had more answers than this cannot be stopped and started again. */
export const maxJournalLength = 32 * 1024 * 1024;

export const toJournaledCall = (tool: string, input: string): JournaledCall => [tool, hashText(input)];

export const writeProgramJournal = (journal: ProgramJournal): string =>
  JSON.stringify({ version: 1, ...journal });

/** Our own text, from an entry that the ledger vouches for. */
export const readProgramJournal = (text: string): ProgramJournal => JSON.parse(text) as ProgramJournal;
