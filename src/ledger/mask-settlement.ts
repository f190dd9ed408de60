import type { Settlement } from "../types/ledger.ts";

/** Operators may type a secret. */
export const maskSettlement = (settlement: Settlement, mask: (text: string) => string): Settlement => ({
  ...settlement,
  by: mask(settlement.by),
  ...(settlement.reason === undefined ? {} : { reason: mask(settlement.reason) }),
});
