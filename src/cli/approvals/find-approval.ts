import { listCurrentApprovals, withCurrentReason } from "../../pipeline/pending/earlier-call-note.ts";
import type { ApprovalRecord } from "../../types/approval.ts";
import type { DurableLedger } from "../../types/durable-ledger.ts";
import { findById, throwAmbiguousId } from "../ledger/short-id.ts";
import { queryLedger } from "../ledger/with-ledger.ts";
import { withExpiry } from "./list-approvals.ts";

/** Of several matches for a short id, the waiting request is preferred. */
export const findApproval = async (
  ledger: DurableLedger,
  typed: string,
  now: number,
): Promise<ApprovalRecord | undefined> => {
  const exact = await queryLedger(ledger.approvals.find(typed));
  if (exact !== undefined) return withExpiry(await queryLedger(withCurrentReason(ledger, exact)), now);
  const all = (await queryLedger(listCurrentApprovals(ledger))).map((record) => withExpiry(record, now));
  const found = findById(typed, all, ({ id }) => id);
  const waiting = found.filter(({ status }) => status === "waiting");
  const candidates = waiting.length > 0 ? waiting : found;
  if (candidates.length > 1) {
    throwAmbiguousId(
      typed,
      "approvals",
      candidates.map(({ id }) => id),
    );
  }
  return candidates[0];
};
