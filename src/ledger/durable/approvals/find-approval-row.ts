import { canonicalJson } from "../../../json/canonical-json.ts";
import type { Row, Script } from "../database.ts";
import type { Transaction } from "../transaction.ts";
import { type ChainReading, histories } from "./approval-history.ts";
import { changeApproval, type KeptApproval, lieOf } from "./approval-row.ts";

/** An approval as its table and the chain have it. */
export type FoundApproval =
  | { readonly row: Row; readonly kept: KeptApproval; readonly lie: undefined }
  | { readonly row: Row; readonly kept: KeptApproval | undefined; readonly lie: string };

/** The same where it is about to be changed: nobody else does before this transaction ends. */
export const lookUpToChange = (reading: ChainReading, id: string): Script<FoundApproval | undefined> =>
  lookUp(reading, id, reading.dialect.lockRows);

export function* lookUp(reading: ChainReading, id: string, lock = ""): Script<FoundApproval | undefined> {
  const [row] = yield { sql: `SELECT * FROM haft_approvals WHERE id = ? ${lock}`, values: [id] };
  if (row === undefined) return undefined;
  const kept = (yield* histories(reading, [String(row.entry_id)])).get(id);
  return { row, kept, lie: lieOf(row, kept) } as FoundApproval;
}

/** For all of several rows of the table, what the chain says of them; nothing where it says nothing. */
export function* keptApprovals(reading: ChainReading, rows: readonly Row[]): Script<readonly KeptApproval[]> {
  const entryIds = [...new Set(rows.map(({ entry_id }) => String(entry_id)))];
  const all = yield* histories(reading, entryIds);
  return rows.flatMap(({ id }) => all.get(String(id)) ?? []);
}

/** From here on it counts for nothing, for everybody, and the chain says why. */
export function* annul(
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
    : changeApproval({ ...kept.record, status: "void" }, kept.askedSeq);
}

/** A row that lies was written by somebody else. What it is about is void, once. */
export function* annulLie(
  transaction: Transaction,
  found: FoundApproval,
  lie: string,
  at: number,
): Script<void> {
  if (found.kept !== undefined || found.row.status !== "void") yield* annul(transaction, found, lie, at);
}
