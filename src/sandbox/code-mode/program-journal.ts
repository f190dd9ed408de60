import { hashText } from "../../base/json/hash.ts";
import type { ProgramAnswer } from "../sandbox.ts";

/** Programs are deterministic, so replaying this restores their state. */
export interface ProgramJournal {
  /** The program's fixed time. */
  readonly now: number;
  /** The tool and a hash of the arguments. */
  readonly calls: readonly JournaledCall[];
  /** In the order in which they were given. A call without an answer is pending. */
  readonly answers: readonly (readonly [number: number, answer: ProgramAnswer])[];
}

export type JournaledCall = readonly [tool: string, inputHash: string];

/** A longer journal cannot be resumed. */
export const maxJournalLength = 32 * 1024 * 1024;

export const toJournaledCall = (tool: string, input: string): JournaledCall => [tool, hashText(input)];

export const writeProgramJournal = (journal: ProgramJournal): string =>
  JSON.stringify({ version: 1, ...journal });

/** The ledger verifies the entry. */
export const readProgramJournal = (text: string): ProgramJournal => JSON.parse(text) as ProgramJournal;
