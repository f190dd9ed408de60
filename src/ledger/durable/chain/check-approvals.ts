import { histories } from "../approvals/approval-history.ts";
import { lieOf } from "../approvals/approval-row.ts";
import type { Row, Script } from "../database.ts";
import type { Dialect } from "../dialect.ts";
import type { Range } from "./check-entries.ts";
import type { Broken } from "./verify.ts";

/** The first question of which the table of approvals says something else than the rows about it. */
export function* checkApprovals(
  dialect: Dialect,
  range: Range,
  page: readonly Row[],
): Script<Broken | undefined> {
  const rows = yield {
    sql: "SELECT * FROM haft_approvals WHERE asked_seq > ? AND asked_seq <= ?",
    values: range,
  };
  const known = new Map(rows.map((row) => [row.id, row]));
  const asked = page.filter(({ kind }) => kind === "asked");
  const entryIds = [...new Set(asked.map(({ entry_id }) => String(entry_id)))];
  const all = yield* histories(dialect, entryIds);
  // Where the entry was pruned, so were its questions.
  const entries = yield {
    sql: `SELECT entry_id FROM haft_entries WHERE entry_id ${dialect.amongTexts}`,
    values: [JSON.stringify(entryIds)],
  };
  const kept = new Set(entries.map(({ entry_id }) => entry_id));
  for (const { seq, entry_id, body } of asked) {
    const { id } = JSON.parse(String(body)) as { readonly id: string };
    const row = known.get(id);
    if (row === undefined && !kept.has(entry_id ?? null)) continue;
    const history = all.get(id);
    const why = row === undefined ? "its question is missing from haft_approvals" : lieOf(row, history);
    if (why !== undefined) return { seq: history?.lastSeq ?? Number(seq), why };
  }
  return undefined;
}

/** A question that nobody asked. */
export function* inventedApprovals(): Script<Broken | undefined> {
  const [row] = yield {
    sql: `SELECT a.id, a.asked_seq FROM haft_approvals a LEFT JOIN haft_records r ON r.seq = a.asked_seq
          WHERE r.seq IS NULL OR r.kind <> 'asked' OR r.entry_id <> a.entry_id
          OR (SELECT COUNT(*) FROM haft_approvals b WHERE b.asked_seq = a.asked_seq) > 1
          ORDER BY a.asked_seq LIMIT 1`,
    values: [],
  };
  if (row === undefined) return undefined;
  return {
    seq: Number(row.asked_seq),
    why: `haft_approvals has a question that no row of the chain tells of ("${row.id}")`,
  };
}
