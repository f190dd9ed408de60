import type { Row, Script, SqlValue } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";
import { parseOtherChainRows } from "../entry-state.ts";
import { toStorableName } from "../row-texts.ts";
import { sessionOfBody } from "../session-column.ts";
import type { BrokenRow } from "./chain-check.ts";
import { chainOf, parseRowBody } from "./signed-row.ts";

export interface RowPage {
  readonly rows: readonly Row[];
  readonly bySeq: ReadonlyMap<number, Row>;
  readonly kinds: ReadonlySet<string>;
  /** Table rows that refer to these sequence numbers. The ranges of all pages leave no gap. */
  readonly range: readonly [after: number, upTo: number];
}

const entryMismatchReason = "its entry in haft_entries differs from the row";

export function* checkEntries(dialect: SqlDialect, page: RowPage): Script<BrokenRow | undefined> {
  const entries = yield {
    sql: `SELECT open_seq, entry_id, call_id, run_id, tool, agent, session, at, closed_at, ending, start_seq, close_seq,
            last_seq, elsewhere FROM haft_entries
          WHERE open_seq > ? AND open_seq <= ? AND ${dialect.isKept("haft_entries.open_seq")} ORDER BY open_seq`,
    values: page.range,
  };
  const others = yield* readReferencedRows(dialect, page, entries);
  const rowAt = (seq: SqlValue | undefined): Row | undefined =>
    page.bySeq.get(Number(seq)) ?? others.get(Number(seq));
  let found = yield* firstUnlinkedRow(dialect, page, entries);
  for (const entry of entries) {
    const seq = findEntryMismatch(entry, rowAt);
    if (seq !== undefined && (found === undefined || seq < found.seq))
      found = { seq, why: entryMismatchReason };
  }
  return found;
}

function* readReferencedRows(
  { amongNumbers }: SqlDialect,
  { bySeq }: RowPage,
  entries: readonly Row[],
): Script<ReadonlyMap<number, Row>> {
  const missing = new Set<number>();
  for (const { start_seq, close_seq, last_seq } of entries) {
    for (const seq of [start_seq, close_seq, last_seq]) {
      if (typeof seq === "number" && !bySeq.has(seq)) missing.add(seq);
    }
  }
  if (missing.size === 0) return new Map();
  const rows = yield {
    sql: `SELECT seq, at, kind, entry_id, run_id, body FROM haft_records WHERE seq ${amongNumbers}`,
    values: [JSON.stringify([...missing])],
  };
  return new Map(rows.map((row) => [Number(row.seq), row]));
}

function* firstUnlinkedRow(
  { amongTexts }: SqlDialect,
  { rows }: RowPage,
  entries: readonly Row[],
): Script<BrokenRow | undefined> {
  const known = new Map<unknown, Row>();
  for (const entry of entries) known.set(entry.entry_id, entry);
  const rowsToCheck: Row[] = [];
  const unseen: unknown[] = [];
  for (const row of rows) {
    const { kind, entry_id } = row;
    if (kind !== "opened" && kind !== "closed" && kind !== "lost") continue;
    const entry = known.get(entry_id);
    if (entry !== undefined && isRowKnown(entry, Number(row.seq))) continue;
    rowsToCheck.push(row);
    if (entry === undefined) unseen.push(entry_id);
  }
  if (unseen.length > 0) {
    const before = yield {
      sql: `SELECT entry_id, last_seq, elsewhere FROM haft_entries WHERE entry_id ${amongTexts}`,
      values: [JSON.stringify(unseen)],
    };
    for (const entry of before) known.set(entry.entry_id, entry);
  }
  for (const { seq, kind, entry_id, body } of rowsToCheck) {
    const entry = known.get(entry_id);
    if (entry !== undefined && !isRowKnown(entry, Number(seq))) {
      return { seq: Number(seq), why: `its entry in haft_entries has no record that it was ${kind}` };
    }
    // Later rows of a pruned entry stay; only its first row requires the entry.
    if (entry === undefined && kind === "opened" && !String(body).startsWith('{"again":')) {
      return { seq: Number(seq), why: "its entry is missing from haft_entries" };
    }
  }
  return undefined;
}

/** Compares only rows of the same chain. */
const isRowKnown = ({ last_seq, elsewhere }: Row, seq: number): boolean =>
  [Number(last_seq), ...parseOtherChainRows(elsewhere as string | null)].some(
    (last) => chainOf(last) === chainOf(seq) && last >= seq,
  );

const findEntryMismatch = (
  entry: Row,
  rowAt: (seq: SqlValue | undefined) => Row | undefined,
): number | undefined => {
  const { close_seq, start_seq, entry_id } = entry;
  const opened = rowAt(entry.open_seq);
  const last = rowAt(entry.last_seq);
  const closed = close_seq === null ? undefined : rowAt(close_seq);
  if (opened?.kind !== "opened" || opened.entry_id !== entry_id || opened.run_id !== entry.run_id) {
    return Number(entry.last_seq);
  }
  if (last === undefined || last.entry_id !== entry_id) return Number(entry.last_seq);
  if (close_seq !== null && (closed?.kind !== "closed" || closed.entry_id !== entry_id)) {
    return Number(entry.open_seq);
  }
  if (start_seq !== null) {
    const started = rowAt(start_seq);
    if (started?.kind !== "started" || started.entry_id !== entry_id) return Number(entry.open_seq);
  }
  if (!isAfterNamedRows(last, entry)) return Number(entry.last_seq);
  const closedBody = closed === undefined ? undefined : parseRowBody(closed.body);
  if (entry.ending !== endingAfter(last, entry, closedBody)) return Number(entry.last_seq);
  if (entry.ending !== "open" && entry.closed_at !== last.at) return Number(entry.last_seq);
  if (opened.at !== entry.at) return Number(entry.open_seq);
  return hasMatchingColumns(entry, String(opened.body), closedBody) ? undefined : Number(entry.open_seq);
};

const isAfterNamedRows = ({ body }: Row, { elsewhere, last_seq }: Row): boolean => {
  if (elsewhere === null && !String(body).includes('"behind":')) return true;
  const { behind = [] } = parseRowBody(body);
  const named = Array.isArray(behind) ? behind.map(Number) : [];
  return named.every((seq) => isRowKnown({ last_seq: last_seq ?? null, elsewhere: elsewhere ?? null }, seq));
};

const endingAfter = (
  { kind, seq }: Row,
  { close_seq }: Row,
  closed: Readonly<Record<string, unknown>> | undefined,
): unknown => {
  if (kind === "lost") return "unknown";
  if (kind === "opened" || kind === "used") return "open";
  if (kind !== "closed" || seq !== close_seq) return undefined;
  return closed?.settlement !== undefined && closed.ending === "executed" ? "settled" : closed?.ending;
};

const hasMatchingColumns = (
  { call_id, agent, session, tool }: Row,
  opened: string,
  closed: Readonly<Record<string, unknown>> | undefined,
): boolean => {
  if (closed?.tool !== undefined && toStorableName(String(closed.tool)) !== tool) return false;
  const isToolOpen = closed === undefined;
  // Quotes in JSON strings are escaped, so a textual match is a real member, without parsing.
  if (
    opened.includes(`"callId":${JSON.stringify(call_id)}`) &&
    (agent === null
      ? !opened.startsWith('{"agent":')
      : opened.includes(`"agent":${JSON.stringify(agent)}`)) &&
    (session === null
      ? !opened.includes('"session":')
      : opened.includes(`"session":${JSON.stringify(session)}`)) &&
    (!isToolOpen || opened.includes(`"tool":${JSON.stringify(tool)}`))
  ) {
    return true;
  }
  const body = parseRowBody(opened);
  const named = typeof body.agent === "string" ? toStorableName(body.agent) : null;
  if (body.callId !== call_id || named !== agent || sessionOfBody(body) !== session) return false;
  return !isToolOpen || toStorableName(String(body.tool)) === tool;
};
