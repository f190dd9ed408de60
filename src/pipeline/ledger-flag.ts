import { defaultLedgerPlace } from "../types/durable-ledger.ts";

/** A database URL is passed by variable, because `place` has no password. */
export const ledgerFlag = (place: string | undefined): string => {
  if (place === undefined || place === defaultLedgerPlace) return "";
  if (!place.startsWith("sqlite:")) return ' --ledger "$HAFT_LEDGER"';
  return ` --ledger ${/[^\w@%+=:,./-]/.test(place) ? `'${place.replaceAll("'", "'\\''")}'` : place}`;
};
