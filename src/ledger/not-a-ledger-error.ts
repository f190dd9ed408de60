import type { LedgerError } from "../types/errors.ts";
import { ledgerUnavailable } from "./ledger-errors.ts";

/** Apart from the other refusals: who keeps no ledger on disk need not load it. */
export const notALedgerError = (place: string): LedgerError =>
  ledgerUnavailable(`${place} is no ledger of Haft: it has none of its tables. Nothing in it was changed.`);
