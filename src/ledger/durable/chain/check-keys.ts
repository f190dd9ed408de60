import type { Row, Script } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";
import { keyReleasedKind } from "../keys/release-key.ts";
import type { BrokenRow } from "./chain-check.ts";
import type { RowPage } from "./check-entries.ts";
import { parseRowBody } from "./signed-row.ts";

export function* checkKeys({ isKept }: SqlDialect, { kinds, range }: RowPage): Script<BrokenRow | undefined> {
  const [invented] = yield {
    sql: `SELECT k.keyed_seq FROM haft_keys k LEFT JOIN haft_records r ON r.seq = k.keyed_seq
          WHERE k.keyed_seq > ? AND k.keyed_seq <= ? AND (r.seq IS NULL OR r.kind <> 'keyed' OR r.entry_id <> k.entry_id
          OR r.body <> '{"call":"' || k.call_hash || '","key":"' || k.key_hash || '"'
            || CASE WHEN k.retention_ms IS NULL THEN '' ELSE ',"retention":' || CAST(k.retention_ms AS TEXT) END || '}')
          ORDER BY k.keyed_seq LIMIT 1`,
    values: range,
  };
  if (invented !== undefined) {
    return { seq: Number(invented.keyed_seq), why: "its key in haft_keys says something else than the row" };
  }
  if (!kinds.has("keyed")) return undefined;
  const rows = yield {
    sql: `SELECT r.seq, c.body AS closed FROM haft_records r JOIN haft_entries e ON e.entry_id = r.entry_id
          LEFT JOIN haft_records c ON c.seq = e.close_seq
          WHERE r.seq > ? AND r.seq <= ? AND r.kind = 'keyed' AND ${isKept("r.seq")} AND ${isKept("e.open_seq")}
          AND NOT EXISTS (SELECT 1 FROM haft_keys k WHERE k.entry_id = r.entry_id AND k.keyed_seq = r.seq)
          AND NOT EXISTS (SELECT 1 FROM haft_records u WHERE u.entry_id = r.entry_id AND u.kind = '${keyReleasedKind}'
            AND u.body = '{"keyed":' || CAST(r.seq AS TEXT) || '}')
          ORDER BY r.seq`,
    values: range,
  };
  const lost = rows.find((row) => !isReleasedByFailure(row));
  return lost === undefined ? undefined : { seq: Number(lost.seq), why: "its key is missing from haft_keys" };
}

/** A call that fails before its code starts releases its key. */
const isReleasedByFailure = ({ closed }: Row): boolean => {
  const { ending, ran } = parseRowBody(closed);
  return ending === "failed" && ran !== true;
};
