import type { LedgerError } from "../types/errors.ts";
import { ledgerUnavailable } from "./ledger-errors.ts";

/** Separate, so that a memory ledger does not load the other errors. */
export const notALedgerError = (place: string): LedgerError =>
  ledgerUnavailable(`${place} is not a ledger of Haft: it has no Haft tables. It was not changed.`);
