import type { SettlementFinding } from "../pipeline/settle.ts";
import type { LedgerEntry } from "../types/ledger.ts";
import { runInRuntime } from "./run-in-runtime.ts";
import { valueOrThrow } from "./runtime-errors.ts";
import { sharedRuntimes } from "./shared-runtime.ts";

/** Settles a call of any caller, for commands of operators and the Studio. `haft.settle` knows calls of its principal's user only. */
export const settleAny = (
  haft: object,
  callId: string,
  finding?: SettlementFinding,
): Promise<LedgerEntry> => {
  const shared = sharedRuntimes.get(haft)!;
  return runInRuntime(shared, shared.tools.settle(callId, finding), valueOrThrow);
};
