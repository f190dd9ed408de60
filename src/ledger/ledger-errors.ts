import { LedgerError, ToolError } from "../types/errors.ts";
import type { Attempt, EntryClosing } from "../types/ledger.ts";

export const ledgerUnavailable = (message: string, cause?: unknown): LedgerError =>
  new LedgerError("ledger_unavailable", message, cause === undefined ? {} : { cause });

export const entryStateError = (what: "opened" | "closed" | "begun", id: string): LedgerError =>
  ledgerUnavailable(`The entry "${id}" cannot be ${what}: it does not exist, or it was ${what} before.`);

const lostRuns = new WeakMap<LedgerError, string>();

/** The receiver must not run or write anything more. */
export const leaseLostError = (runId: string): LedgerError => {
  const error = new LedgerError(
    "claim_lost",
    `The claim on the run "${runId}" is lost: another process claimed the run, or the run was ended or cancelled.`,
  );
  lostRuns.set(error, runId);
  return error;
};

export const lostLeaseRunId = (error: LedgerError): string | undefined => lostRuns.get(error);

export const toLedgerError = (error: unknown): LedgerError => {
  if (error instanceof LedgerError) return error;
  if (ToolError.is(error)) return ledgerUnavailable(error.message, error);
  return ledgerUnavailable(
    `The ledger failed: ${error instanceof Error ? error.message : String(error)}`,
    error,
  );
};

/** Evaluates the lazy hashes. */
export const toPlainAttempts = (attempts: EntryClosing["attempts"]): readonly Attempt[] | undefined =>
  attempts?.map(({ number, startedAt, inputHash, ending, ran }) => ({
    number,
    startedAt,
    inputHash,
    ending,
    ran,
  }));
