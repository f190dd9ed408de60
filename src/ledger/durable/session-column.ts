import { parseRowBody } from "./chain/signed-row.ts";
import type { Row, Script, SqlValue } from "./database.ts";
import type { SqlDialect } from "./dialect.ts";
import { toStorableName } from "./row-texts.ts";

/** No statement reads the whole ledger. */
const maxEntriesPerBatch = 1_000;

export function* addSessionColumn(dialect: SqlDialect): Script<void> {
  yield { post: "ALTER TABLE haft_entries ADD COLUMN session TEXT", values: [] };
  yield* fillSessions(dialect);
  yield {
    post: "CREATE INDEX haft_entries_session ON haft_entries (session, open_seq) WHERE session IS NOT NULL",
    values: [],
  };
}

/** PostgreSQL refuses JSON with U+0000 or lone surrogates. */
function* fillSessions(dialect: SqlDialect): Script<void> {
  for (let last: SqlValue = 0; ; ) {
    const rows: readonly Row[] = yield {
      sql: `SELECT e.open_seq, CASE WHEN o.body LIKE '%"session":%' THEN o.body END AS body
            FROM haft_entries e JOIN haft_records o ON o.seq = e.open_seq
            WHERE e.open_seq > ? ORDER BY e.open_seq LIMIT ${maxEntriesPerBatch}`,
      values: [last],
    };
    const named = rows.flatMap(({ open_seq, body }) => {
      const session = body === null ? null : sessionOfBody(parseRowBody(body));
      return session === null ? [] : [{ open_seq: Number(open_seq), session }];
    });
    if (named.length > 0) yield* writeSessions(dialect, named);
    if (rows.length < maxEntriesPerBatch) return;
    last = Number(rows.at(-1)?.open_seq);
  }
}

export const sessionOfBody = ({ session }: Readonly<Record<string, unknown>>): string | null =>
  typeof session === "string" ? toStorableName(session) : null;

interface EntrySession {
  readonly open_seq: number;
  readonly session: string;
}

const updateOneSql = "UPDATE haft_entries SET session = ? WHERE open_seq = ?";
const updateManySql = `UPDATE haft_entries AS e SET session = v.session
  FROM json_to_recordset(CAST(? AS json)) AS v(open_seq bigint, session text) WHERE e.open_seq = v.open_seq`;

function* writeSessions({ bulkUpdates }: SqlDialect, named: readonly EntrySession[]): Script<void> {
  if (bulkUpdates) yield { sql: updateManySql, values: [JSON.stringify(named)] };
  else yield { repeat: updateOneSql, each: named.map(({ open_seq, session }) => [session, open_seq]) };
}
