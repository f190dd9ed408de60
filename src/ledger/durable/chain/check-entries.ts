import type { Row, Script } from "../database.ts";
import { plainName } from "../scribe.ts";
import type { Broken } from "./verify.ts";

/** Rows behind the first and up to the last number. */
export type Range = readonly [after: number, upTo: number];

type Body = Readonly<Record<string, unknown>>;

/** The first row that the table of entries does not know of, or says something else of. */
export function* checkEntries(range: Range, page: readonly Row[]): Script<Broken | undefined> {
  const [stray] = yield {
    sql: `SELECT r.seq, r.kind, e.last_seq FROM haft_records r LEFT JOIN haft_entries e ON e.entry_id = r.entry_id
          WHERE r.seq > ? AND r.seq <= ? AND r.kind IN ('opened', 'closed', 'lost')
          AND (e.last_seq < r.seq OR (e.last_seq IS NULL AND r.kind = 'opened' AND r.body NOT LIKE '{"again":%'))
          ORDER BY r.seq LIMIT 1`,
    values: range,
  };
  if (stray !== undefined) return { seq: Number(stray.seq), why: strayWords(stray) };
  const entries = yield {
    sql: `SELECT e.open_seq, e.call_id, e.agent, e.tool, c.body AS closed FROM haft_entries e
          LEFT JOIN haft_records c ON c.seq = e.close_seq
          WHERE e.open_seq > ? AND e.open_seq <= ? ORDER BY e.open_seq`,
    values: range,
  };
  const opened = new Map(page.map((row) => [row.seq, row]));
  const lying = entries.find((entry) => !isTrue(entry, opened.get(entry.open_seq ?? null)));
  return lying === undefined ? undefined : { seq: Number(lying.open_seq), why: lieWords };
}

const strayWords = ({ kind, last_seq }: Row): string =>
  last_seq === null
    ? "its entry is missing from haft_entries"
    : `its entry in haft_entries does not know that it was ${kind}`;

const lieWords = "its entry in haft_entries says something else than the row";

const isTrue = (entry: Row, row: Row | undefined): boolean => {
  // What points to no row is found among those that were invented.
  if (row?.kind !== "opened") return true;
  const opened = JSON.parse(String(row.body)) as Body;
  const closed = typeof entry.closed === "string" ? (JSON.parse(entry.closed) as Body) : undefined;
  const agent = typeof opened.agent === "string" ? plainName(opened.agent) : null;
  const tool = closed === undefined ? opened.tool : (closed.tool ?? entry.tool);
  return opened.callId === entry.call_id && agent === entry.agent && plainName(String(tool)) === entry.tool;
};

/** The first entry that says something else than the rows it points to. */
export function* readLiars(): Script<Broken | undefined> {
  const [row] = yield {
    sql: `SELECT e.open_seq, e.last_seq FROM haft_entries e
          LEFT JOIN haft_records o ON o.seq = e.open_seq LEFT JOIN haft_records l ON l.seq = e.last_seq
          WHERE o.seq IS NULL OR o.kind <> 'opened' OR o.entry_id <> e.entry_id OR o.run_id <> e.run_id
          OR l.seq IS NULL OR l.entry_id <> e.entry_id OR NOT (
            (l.kind IN ('opened', 'used') AND e.ending = 'open') OR (l.kind = 'lost' AND e.ending = 'unknown')
            OR (l.kind = 'closed' AND e.close_seq = l.seq AND l.body LIKE '%"ending":"' || e.ending || '"%'))
          ORDER BY e.open_seq LIMIT 1`,
    values: [],
  };
  return row === undefined ? undefined : { seq: Number(row.last_seq), why: lieWords };
}
