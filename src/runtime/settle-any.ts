import type { SettlementFinding } from "../pipeline/settle.ts";
import type { LedgerEntry } from "../types/ledger.ts";
import { runInRuntime } from "./run-in-runtime.ts";
import { valueOrThrow } from "./runtime-errors.ts";
import { sharedRuntimes } from "./shared-runtime.ts";

/** Settles a call of any user, for operators. `haft.settle` is limited to its principal's user. */
export const settleAny = (
  haft: object,
  callId: string,
  finding?: SettlementFinding,
): Promise<LedgerEntry> => {
  const shared = sharedRuntimes.get(haft)!;
  return runInRuntime(shared, shared.tools.settle(callId, finding), valueOrThrow);
};
