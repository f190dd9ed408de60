import { canonicalJson } from "../../../base/json/canonical-json.ts";
import type { ApprovalRecord } from "../../../types/approval.ts";
import { grantScopeOf } from "../../approval-transitions.ts";
import type { Query, Row, Script, SqlValue } from "../database.ts";
import type { Transaction } from "../transaction.ts";
import { type ChainReadContext, readApprovalHistories } from "./approval-history.ts";

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

export type FoundApproval =
  | { readonly row: Row; readonly kept: ChainApproval; readonly lie: undefined }
  | { readonly row: Row; readonly kept: ChainApproval | undefined; readonly lie: string };

export const lockApprovalRow = (reading: ChainReadContext, id: string): Script<FoundApproval | undefined> =>
  findApprovalRow(reading, id, reading.dialect.lockRows);

export function* findApprovalRow(
  reading: ChainReadContext,
  id: string,
  lock = "",
): Script<FoundApproval | undefined> {
  const [row] = yield { sql: `SELECT * FROM haft_approvals WHERE id = ? ${lock}`, values: [id] };
  if (row === undefined) return undefined;
  const kept = (yield* readApprovalHistories(reading, [String(row.entry_id)])).get(id);
  return { row, kept, lie: findApprovalMismatch(row, kept) } as FoundApproval;
}

export function* readChainApprovals(
  reading: ChainReadContext,
  rows: readonly Row[],
): Script<readonly ChainApproval[]> {
  const entryIds = [...new Set(rows.map(({ entry_id }) => String(entry_id)))];
  const all = yield* readApprovalHistories(reading, entryIds);
  return rows.flatMap(({ id }) => all.get(String(id)) ?? []);
}

export function* annulApproval(
  transaction: Transaction,
  { row, kept }: FoundApproval,
  why: string,
  at: number,
): Script<void> {
  const id = String(row.id);
  const { entryId, runId } = kept?.record ?? { entryId: String(row.entry_id), runId: String(row.run_id) };
  const seq = transaction.append({ at, kind: "annulled", entryId, runId, body: canonicalJson({ id, why }) });
  const entry = yield* transaction.entry(entryId);
  if (entry !== undefined) transaction.mention(entry, seq);
  yield kept === undefined
    ? { sql: "UPDATE haft_approvals SET status = 'void' WHERE id = ?", values: [id] }
    : updateApprovalQuery({ ...kept.record, status: "void" }, kept.askedSeq);
}

export function* annulMismatched(
  transaction: Transaction,
  found: FoundApproval,
  mismatch: string,
  at: number,
): Script<void> {
  if (found.kept !== undefined || found.row.status !== "void")
    yield* annulApproval(transaction, found, mismatch, at);
}
