import type { ApprovalRecord } from "../../../types/approval.ts";
import { grantScopeOf } from "../../approval-transitions.ts";
import type { Query, Row, SqlValue } from "../database.ts";

export interface ChainApproval {
  readonly record: ApprovalRecord;
  /** If false, the exact arguments are in the payloads. */
  readonly isExact: boolean;
  readonly isEditExact: boolean;
  /** False if this process has keys and the answer has no MAC. */
  readonly isAnswerProved: boolean;
  readonly askedSeq: number;
  readonly lastSeq: number;
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
  "asked_at",
] as const;

/** The table is only an index; the chain is authoritative. */
export const toApprovalRow = (
  record: ApprovalRecord,
  askedSeq: number,
): readonly [id: string, ...SqlValue[]] => {
  const { id, entryId, runId, tool, definition, status, askedAt } = record;
  return [id, entryId, runId, tool, definition, status, grantScopeOf(record) ?? null, askedSeq, askedAt];
};

const updateApprovalSql = `UPDATE haft_approvals SET ${approvalColumns
  .slice(1)
  .map((name) => `${name} = ?`)
  .join(", ")} WHERE id = ?`;

export const updateApprovalQuery = (record: ApprovalRecord, askedSeq: number): Query => {
  const [id, ...rest] = toApprovalRow(record, askedSeq);
  return { sql: updateApprovalSql, values: [...rest, id] };
};

export const findApprovalMismatch = (
  row: Row,
  chainApproval: ChainApproval | undefined,
): string | undefined => {
  if (chainApproval === undefined) return "its row in haft_approvals has no history in the chain";
  const expected = toApprovalRow(chainApproval.record, chainApproval.askedSeq);
  const mismatches = approvalColumns.filter((name, i) => expected[i] !== row[name]);
  return mismatches.length === 0
    ? undefined
    : `its row in haft_approvals differs from the chain: ${mismatches.join(", ")}`;
};
