import { canonicalJson } from "../../../json/canonical-json.ts";
import type { Row, Script } from "../database.ts";
import type { Range } from "./check-entries.ts";
import type { Broken } from "./verify.ts";

const kinds = "'run-began', 'run-handed', 'run-resumed', 'run-ended'";

/** The first row that the table of runs does not know of, or says something else of. */
export function* checkRuns(range: Range): Script<Broken | undefined> {
  const [stray] = yield {
    sql: `SELECT r.seq, r.kind, h.last_seq FROM haft_records r LEFT JOIN haft_runs h ON h.run_id = r.run_id
          WHERE r.seq > ? AND r.seq <= ? AND r.kind IN (${kinds})
          AND (h.last_seq < r.seq OR (h.last_seq IS NULL AND r.kind = 'run-began')) ORDER BY r.seq LIMIT 1`,
    values: range,
  };
  if (stray !== undefined) return { seq: Number(stray.seq), why: strayWords(stray) };
  const runs = yield {
    sql: `SELECT h.agent, h.status, h.reason, h.principal, h.given, h.last_seq, b.body AS began, l.body AS latest
          FROM haft_runs h JOIN haft_records b ON b.seq = h.began_seq JOIN haft_records l ON l.seq = h.last_seq
          WHERE h.began_seq > ? AND h.began_seq <= ? ORDER BY h.began_seq`,
    values: range,
  };
  const lying = runs.find((run) => !isTrue(run));
  return lying === undefined ? undefined : { seq: Number(lying.last_seq), why: lieWords };
}

const strayWords = ({ kind, last_seq }: Row): string =>
  last_seq === null
    ? "its run is missing from haft_runs"
    : `its run in haft_runs does not know of it (${kind})`;

const lieWords = "its run in haft_runs says something else than the row";

const isTrue = ({ began, latest, agent, status, reason, principal, given }: Row): boolean => {
  const first = JSON.parse(String(began));
  const last = JSON.parse(String(latest));
  const who = principal === null ? undefined : JSON.parse(String(principal));
  const isSame = last.agent === agent && last.status === status && (last.reason ?? null) === reason;
  return (
    isSame && first.given === given && canonicalJson(who ?? null) === canonicalJson(first.principal ?? null)
  );
};

/** A run that never began, or that says it stands where it does not. */
export function* inventedRuns(): Script<Broken | undefined> {
  const [row] = yield {
    sql: `SELECT h.began_seq FROM haft_runs h LEFT JOIN haft_records b ON b.seq = h.began_seq
          LEFT JOIN haft_records l ON l.seq = h.last_seq
          WHERE b.seq IS NULL OR b.kind <> 'run-began' OR b.run_id <> h.run_id
          OR l.seq IS NULL OR l.kind NOT IN (${kinds}) OR l.run_id <> h.run_id ORDER BY h.began_seq LIMIT 1`,
    values: [],
  };
  return row === undefined ? undefined : { seq: Number(row.began_seq), why: lieWords };
}
