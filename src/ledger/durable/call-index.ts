import type { Script, SqlValue } from "./database.ts";
import type { SqlDialect } from "./dialect.ts";

/** Limits how long other writers wait. */
const maxEntriesPerBatch = 5_000;

/**
 * An index on random call ids dirties a page per call, a third of a call's writes on SQLite. There it is
 * filled in batches with the heartbeat.
 */
export const callIndexTables = ({ isCallIndexDeferred }: SqlDialect): readonly string[] =>
  isCallIndexDeferred
    ? [
        `CREATE TABLE haft_call_ids (call_id TEXT NOT NULL, open_seq BIGINT NOT NULL,
           PRIMARY KEY (call_id, open_seq)) WITHOUT ROWID`,
      ]
    : ["CREATE INDEX haft_entries_call ON haft_entries (call_id)"];

const positionSql = (name: string): string =>
  `SELECT COALESCE(MAX(CAST(value AS INTEGER)), 0) AS seq FROM haft_meta WHERE name = '${name}'`;

const [upTo, from] = ["call_ids_up_to", "call_ids_from"];

export const callIdCondition = (
  { isCallIndexDeferred }: SqlDialect,
  callId: string,
): readonly [sql: string, ...values: SqlValue[]] =>
  isCallIndexDeferred
    ? [
        `e.open_seq IN (SELECT open_seq FROM haft_call_ids WHERE call_id = ? UNION ALL
           SELECT open_seq FROM haft_entries WHERE open_seq > (${positionSql(upTo)}) AND call_id = ?)`,
        callId,
        callId,
      ]
    : ["e.call_id = ?", callId];

function* readPosition(name: string): Script<number> {
  const [row] = yield { sql: positionSql(name), values: [] };
  return Number(row?.seq);
}

function* writePosition(name: string, seq: number): Script<void> {
  yield {
    sql: "INSERT INTO haft_meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    values: [name, String(seq)],
  };
}

/** Returns true if more may remain. */
export function* indexCallIds({ isCallIndexDeferred }: SqlDialect): Script<boolean> {
  if (!isCallIndexDeferred) return false;
  const last = yield* readPosition(upTo);
  yield* dropPrunedCallIds(last);
  const [next] = yield {
    sql: `SELECT MAX(open_seq) AS seq, count(*) AS count
          FROM (SELECT open_seq FROM haft_entries WHERE open_seq > ? ORDER BY open_seq LIMIT ${maxEntriesPerBatch})`,
    values: [last],
  };
  if (next === undefined || next.seq === null) return false;
  yield {
    sql: `INSERT INTO haft_call_ids (call_id, open_seq) SELECT call_id, open_seq FROM haft_entries
          WHERE open_seq > ? AND open_seq <= ? ORDER BY call_id`,
    values: [last, Number(next.seq)],
  };
  yield* writePosition(upTo, Number(next.seq));
  return next.count === maxEntriesPerBatch;
}

function* dropPrunedCallIds(last: number): Script<void> {
  const [row] = yield {
    sql: "SELECT COALESCE(MIN(open_seq), ?) AS seq FROM haft_entries",
    values: [last + 1],
  };
  const first = Number(row?.seq);
  if (first <= (yield* readPosition(from))) return;
  yield { sql: "DELETE FROM haft_call_ids WHERE open_seq < ?", values: [first] };
  yield* writePosition(from, first);
}
