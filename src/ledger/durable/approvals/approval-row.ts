import type { ApprovalRecord } from "../../../types/approval.ts";
import { grantScopeOf } from "../../approval-transitions.ts";
import type { Query, Row, SqlValue } from "../database.ts";

/** A request as the chain tells it: what may be shown, and whether that is all of it. */
export interface ChainApproval {
  readonly record: ApprovalRecord;
  /** Else the arguments are in the payloads. */
  readonly isExact: boolean;
  /** The same of the arguments a person put in their place. */
  readonly isEditExact: boolean;
  /** False where this process has keys and the answer has no MAC: then nothing proves that anybody gave it. */
  readonly isAnswerProved: boolean;
  readonly askedSeq: number;
  /** The row that says how it stands. */
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

/** The table only helps to find a request. Whatever it says of one is in the chain too, and that counts. */
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

/** Why the table's row is not to be believed, if it says anything else than the chain. */
export const findApprovalMismatch = (row: Row, kept: ChainApproval | undefined): string | undefined => {
  if (kept === undefined) return "its row in haft_approvals has no history in the chain";
  const expected = toApprovalRow(kept.record, kept.askedSeq);
  const lies = approvalColumns.filter((name, i) => expected[i] !== row[name]);
  return lies.length === 0
    ? undefined
    : `its row in haft_approvals says something else than the chain: ${lies.join(", ")}`;
};
