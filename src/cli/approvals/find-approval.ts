import type { ApprovalRecord } from "../../words/approval.ts";
import type { DurableLedger } from "../../words/durable-ledger.ts";
import { findById, refuseAmbiguous } from "../ledger/ids.ts";
import { ask } from "../ledger/open.ts";
import { asOf } from "./listing.ts";

/** The request a typed id means. Where several could be, the one that still waits is meant. */
export const findApproval = async (
  ledger: DurableLedger,
  typed: string,
  now: number,
): Promise<ApprovalRecord | undefined> => {
  const exact = await ask(ledger.approvals.find(typed));
  if (exact !== undefined) return asOf(exact, now);
  const all = (await ask(ledger.approvals.list())).map((record) => asOf(record, now));
  const found = findById(typed, all, ({ id }) => id);
  const waiting = found.filter(({ status }) => status === "waiting");
  const meant = waiting.length > 0 ? waiting : found;
  if (meant.length > 1) {
    refuseAmbiguous(
      typed,
      "approvals",
      meant.map(({ id }) => id),
    );
  }
  return meant[0];
};
