import type { LedgerError } from "../../types/errors.ts";
import { leaseLostError } from "../ledger-errors.ts";
import type { MemoryState } from "./memory-row.ts";

/** Who may write for a run: the newest claim on it, while somebody holds it. */
export interface MemoryRunLease {
  epoch: number;
  isHeld: boolean;
}

/** Why a write under this epoch is refused, if it is. Whoever watches the claim hears of it. */
export const checkLease = (
  { claims, held }: MemoryState,
  runId: string,
  epoch: number | undefined,
  isClosing = false,
): LedgerError | undefined => {
  if (epoch === undefined) return undefined;
  const claim = claims.get(runId);
  // What a call came to may be written after its own run has ended, as long as nobody else took the run.
  if (claim?.epoch === epoch && (claim.isHeld || isClosing)) return undefined;
  held.lose(runId, epoch);
  return leaseLostError(runId);
};
