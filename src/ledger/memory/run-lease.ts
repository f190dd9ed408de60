import type { LedgerError } from "../../types/errors.ts";
import { leaseLostError } from "../ledger-errors.ts";
import type { MemoryState } from "./memory-row.ts";

export interface MemoryRunLease {
  epoch: number;
  isHeld: boolean;
}

/** A refused lease is also marked as lost. */
export const checkLease = (
  { claims, held }: MemoryState,
  runId: string,
  epoch: number | undefined,
  isClosing = false,
): LedgerError | undefined => {
  if (epoch === undefined) return undefined;
  const claim = claims.get(runId);
  // A call's outcome may be written after its run has ended.
  if (claim?.epoch === epoch && (claim.isHeld || isClosing)) return undefined;
  held.lose(runId, epoch);
  return leaseLostError(runId);
};
