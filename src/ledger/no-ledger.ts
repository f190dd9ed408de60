import type { LedgerError } from "../words/errors.ts";
import { unavailable } from "./refusals.ts";

/** Apart from the other refusals: who keeps no ledger on disk need not load it. */
export const noLedger = (place: string): LedgerError =>
  unavailable(`${place} is no ledger of Haft: it has none of its tables. Nothing in it was changed.`);
