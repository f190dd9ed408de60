import type { ApprovalRecord } from "../../../words/approval.ts";
import { alwaysOf } from "../../approval-steps.ts";
import type { Query, Row, Script, SqlValue } from "../database.ts";

/** A request as it is kept: what may be shown, and whether that is all of it. */
export interface KeptApproval {
  readonly record: ApprovalRecord;
  /** Else the arguments are in the payloads. */
  readonly isExact: boolean;
  /** The same of the arguments a person put in their place. */
  readonly isEditExact: boolean;
}

export const approvalColumns = [
  "id",
  "entry_id",
  "run_id",
  "tool",
  "definition",
  "status",
  "always",
  "asked_seq",
  "record",
];

export const toApprovalRow = (kept: KeptApproval, askedSeq: number): readonly SqlValue[] => {
  const { id, entryId, runId, tool, definition, status } = kept.record;
  const always = alwaysOf(kept.record) ?? null;
  return [id, entryId, runId, tool, definition, status, always, askedSeq, JSON.stringify(kept)];
};

export const readApproval = (row: Row): KeptApproval => {
  const kept = JSON.parse(String(row.record)) as KeptApproval;
  // JSON has no `undefined`, and a record has the member in any case.
  return { ...kept, record: { ...kept.record, expiresAt: kept.record.expiresAt } };
};

export function* keptApproval(id: string): Script<KeptApproval | undefined> {
  const [row] = yield { sql: "SELECT record FROM haft_approvals WHERE id = ?", values: [id] };
  return row === undefined ? undefined : readApproval(row);
}

export const changeApproval = (kept: KeptApproval): Query => ({
  sql: "UPDATE haft_approvals SET status = ?, always = ?, record = ? WHERE id = ?",
  values: [kept.record.status, alwaysOf(kept.record) ?? null, JSON.stringify(kept), kept.record.id],
});
