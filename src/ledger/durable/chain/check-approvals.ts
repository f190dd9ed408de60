import { type ChainReadContext, readApprovalHistories } from "../approvals/approval-history.ts";
import { findApprovalMismatch } from "../approvals/approval-row.ts";
import type { Row, Script } from "../database.ts";
import type { BrokenRow } from "./chain-check.ts";
import type { RowPage } from "./check-entries.ts";
import { parseRowBody } from "./signed-row.ts";

export function* checkApprovals(reading: ChainReadContext, page: RowPage): Script<BrokenRow | undefined> {
  const all = yield {
    sql: "SELECT * FROM haft_approvals WHERE asked_seq > ? AND asked_seq <= ? ORDER BY asked_seq",
    values: page.range,
  };
  const rows = yield* withoutPruned(reading, page, all);
  return (yield* firstMismatch(reading, page, rows)) ?? firstUnrecorded(page, rows);
}

/** Excludes months that are being pruned, whose rows appear on no page. */
function* withoutPruned(
  { dialect }: ChainReadContext,
  { bySeq }: RowPage,
  rows: readonly Row[],
): Script<readonly Row[]> {
  const unseen = rows.flatMap(({ asked_seq }) => (bySeq.has(Number(asked_seq)) ? [] : [Number(asked_seq)]));
  if (unseen.length === 0 || !dialect.hasMonths) return rows;
  const prunedRows = yield {
    sql: `SELECT r.seq FROM haft_records r WHERE r.seq ${dialect.amongNumbers} AND NOT ${dialect.isKept("r.seq")}`,
    values: [JSON.stringify(unseen)],
  };
  const prunedSeqs = new Set(prunedRows.map(({ seq }) => seq));
  return rows.filter(({ asked_seq }) => !prunedSeqs.has(asked_seq ?? null));
}

function* firstMismatch(
  reading: ChainReadContext,
  page: RowPage,
  rows: readonly Row[],
): Script<BrokenRow | undefined> {
  const asked = page.rows.filter(({ kind }) => kind === "asked");
  if (asked.length === 0) return undefined;
  const known = new Map(rows.map((row) => [row.id, row]));
  const entryIds = [...new Set(asked.map(({ entry_id }) => String(entry_id)))];
  const all = yield* readApprovalHistories(reading, entryIds);
  const entries = yield {
    sql: `SELECT entry_id FROM haft_entries 
          WHERE entry_id ${reading.dialect.amongTexts} AND ${reading.dialect.isKept("haft_entries.open_seq")}`,
    values: [JSON.stringify(entryIds)],
  };
  const kept = new Set(entries.map(({ entry_id }) => entry_id));
  for (const { seq, entry_id, body } of asked) {
    const id = String(parseRowBody(body).id);
    const row = known.get(id);
    if (row === undefined && !kept.has(entry_id ?? null)) continue;
    const history = all.get(id);
    const why =
      row === undefined
        ? "its approval request is missing from haft_approvals"
        : findApprovalMismatch(row, history);
    if (why !== undefined) return { seq: history?.lastSeq ?? Number(seq), why };
  }
  return undefined;
}

/** Rows unknown to the chain, and duplicates. */
const firstUnrecorded = ({ bySeq }: RowPage, rows: readonly Row[]): BrokenRow | undefined => {
  const seen = new Set<unknown>();
  for (const { id, asked_seq, entry_id } of rows) {
    const row = bySeq.get(Number(asked_seq));
    if (row?.kind !== "asked" || row.entry_id !== entry_id || seen.has(asked_seq)) {
      const why = `haft_approvals has a request that is not in the chain ("${id}")`;
      return { seq: Number(asked_seq), why };
    }
    seen.add(asked_seq);
  }
  return undefined;
};
