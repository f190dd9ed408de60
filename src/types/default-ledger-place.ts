/** The ledger that commands use if no other is named. */
export const defaultLedgerPlace = "sqlite:.haft/ledger.db";
