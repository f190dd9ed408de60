import { defaultLedgerPlace } from "../types/default-ledger-place.ts";

/** The option that makes a command find a runtime's ledger. A place has no password, so a database server's is a variable. */
export const ledgerFlag = (place: string | undefined): string => {
  if (place === undefined || place === defaultLedgerPlace) return "";
  if (!place.startsWith("sqlite:")) return ' --ledger "$HAFT_LEDGER"';
  return ` --ledger ${/[^\w@%+=:,./-]/.test(place) ? `'${place.replaceAll("'", "'\\''")}'` : place}`;
};
