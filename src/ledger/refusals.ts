import { LedgerError, ToolError } from "../words/errors.ts";

export const unavailable = (message: string, cause?: unknown): LedgerError =>
  new LedgerError("ledger_unavailable", message, cause === undefined ? {} : { cause });

export const twice = (what: "opened" | "closed" | "begun", id: string): LedgerError =>
  unavailable(`The entry "${id}" cannot be ${what}: it is not there, or it was before.`);

/** Whatever a store threw, as the one error its callers know. */
export const toLedgerError = (error: unknown): LedgerError => {
  if (error instanceof LedgerError) return error;
  if (ToolError.is(error)) return unavailable(error.message, error);
  return unavailable(`The ledger broke: ${error instanceof Error ? error.message : String(error)}`, error);
};
