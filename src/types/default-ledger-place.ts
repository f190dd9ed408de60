export const defaultLedgerPlace = "sqlite:.haft/ledger.db";
