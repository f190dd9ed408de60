import type { FailureCode } from "../types/failures.ts";
import type {
  EntryClosing,
  LedgerEntry,
  Settlement,
  SettlementRequest,
  SettlementResult,
} from "../types/ledger.ts";
import { isUnsettled } from "../types/settlement.ts";

/** A failure after its code started may have taken effect, so it can be settled. */
export const checkSettleable = ({
  ending,
  ran,
  settlement,
}: Pick<LedgerEntry, "ending" | "ran" | "settlement">): SettlementResult | undefined => {
  if (settlement !== undefined) return { kind: "settled" };
  if (ending === "open") return { kind: "running" };
  if (ending === "pending" || ending === "hydrated") return { kind: "pending" };
  return isUnsettled({ ending, ran, settlement }) ? undefined : { kind: "known" };
};

interface SettledClosing
  extends Pick<EntryClosing, "ending" | "code" | "message" | "flow" | "result" | "ran"> {
  readonly settlement: Settlement;
}

/** A call without effect releases its keys. */
export const toSettledClosing = (request: SettlementRequest, tool: string, at: number): SettledClosing => {
  const { tookEffect, by, reason, result } = request;
  const settlement = { tookEffect, by, at, ...(reason === undefined ? {} : { reason }) };
  if (tookEffect) {
    const flow = "continue" as const;
    return { ending: "executed", code: undefined, message: undefined, flow, result, ran: true, settlement };
  }
  const code: FailureCode = "did_not_run";
  const message = `The call of "${tool}" did not take effect. It can be called again.`;
  return { ending: "failed", code, message, flow: undefined, result: undefined, ran: false, settlement };
};

/** Closed again only by settling. */
export const isFinalEnding = (ending: LedgerEntry["ending"] | "settled"): boolean =>
  ending === "executed" || ending === "settled" || ending === "failed" || ending === "unknown";

/** An unknown call may have taken effect: its key is kept until an operator settles it. */
export const isKnownEnding = (ending: LedgerEntry["ending"] | "settled"): boolean =>
  isFinalEnding(ending) && ending !== "unknown";

/** Operators may type a secret. */
export const maskSettlement = (settlement: Settlement, mask: (text: string) => string): Settlement => ({
  ...settlement,
  by: mask(settlement.by),
  ...(settlement.reason === undefined ? {} : { reason: mask(settlement.reason) }),
});
