import type { Settlement } from "../types/ledger.ts";

/** Operators write names and reasons by hand, so a known secret may be in them. */
export const maskSettlement = (settlement: Settlement, mask: (text: string) => string): Settlement => ({
  ...settlement,
  by: mask(settlement.by),
  ...(settlement.reason === undefined ? {} : { reason: mask(settlement.reason) }),
});
