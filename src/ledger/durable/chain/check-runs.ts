import { canonicalJson } from "../../../json/canonical-json.ts";
import type { Row, Script } from "../database.ts";
import type { BrokenRow } from "./chain-check.ts";
import type { PageOfRows } from "./check-entries.ts";
import { readBody } from "./link.ts";

const kinds = "'run-began', 'run-handed', 'run-resumed', 'run-lost', 'run-ended'";

const lieWords = "its run in haft_runs says something else than the row";

/** The first row that the table of runs does not know of, or says something else of; or the first run that never began. */
export function* checkRuns(page: PageOfRows): Script<BrokenRow | undefined> {
  const { range } = page;
  const [invented] = yield {
    sql: `SELECT h.began_seq FROM haft_runs h LEFT JOIN haft_records b ON b.seq = h.began_seq
          LEFT JOIN haft_records l ON l.seq = h.last_seq
          WHERE h.began_seq > ? AND h.began_seq <= ? AND (b.seq IS NULL OR b.kind <> 'run-began' OR b.run_id <> h.run_id
          OR l.seq IS NULL OR l.kind NOT IN (${kinds}) OR l.run_id <> h.run_id) ORDER BY h.began_seq LIMIT 1`,
    values: range,
  };
  if (invented !== undefined) return { seq: Number(invented.began_seq), why: lieWords };
  if (![...page.kinds].some((kind) => kind.startsWith("run-"))) return undefined;
  const [stray] = yield {
    sql: `SELECT r.seq, r.kind, h.last_seq FROM haft_records r LEFT JOIN haft_runs h ON h.run_id = r.run_id
          WHERE r.seq > ? AND r.seq <= ? AND r.kind IN (${kinds})
          AND (h.last_seq < r.seq OR (h.last_seq IS NULL AND r.kind = 'run-began')) ORDER BY r.seq LIMIT 1`,
    values: range,
  };
  if (stray !== undefined) return { seq: Number(stray.seq), why: strayWords(stray) };
  const runs = yield {
    sql: `SELECT h.agent, h.status, h.reason, h.principal, h.given, h.epoch, h.last_seq, b.body AS began, l.body AS latest
          FROM haft_runs h JOIN haft_records b ON b.seq = h.began_seq JOIN haft_records l ON l.seq = h.last_seq
          WHERE h.began_seq > ? AND h.began_seq <= ? ORDER BY h.began_seq`,
    values: range,
  };
  const lying = runs.find((run) => !isTrue(run));
  if (lying !== undefined) return { seq: Number(lying.last_seq), why: lieWords };
  const conversations = yield {
    sql: `SELECT h.messages, h.digest, h.last_seq, b.body AS began,
            (SELECT COUNT(*) FROM haft_run_messages m WHERE m.run_id = h.run_id) AS kept,
            (SELECT r.body FROM haft_records r WHERE r.run_id = h.run_id AND r.kind = 'run-step'
             ORDER BY r.seq DESC LIMIT 1) AS step
          FROM haft_runs h JOIN haft_records b ON b.seq = h.began_seq
          WHERE h.began_seq > ? AND h.began_seq <= ? AND h.status IN ('running', 'pending', 'failed')
          ORDER BY h.began_seq`,
    values: range,
  };
  const cut = conversations.find((run) => !isWhole(run));
  return cut === undefined ? undefined : { seq: Number(cut.last_seq), why: cutWords };
}

const cutWords = "the conversation of its run is not the one that the chain tells of";

/** As many messages as the chain says, or none where there was no key to keep them under. Runs of 0.1.0 say nothing. */
const isWhole = ({ messages, digest, kept, began, step }: Row): boolean => {
  const first = readBody(began);
  const latest = step === null ? { messages: first.given, digest: first.digest } : readBody(step);
  if (latest.digest === undefined) return true;
  const isComplete = Number(kept) === 0 || Number(kept) === Number(messages);
  return isComplete && Number(messages) === latest.messages && digest === latest.digest;
};

const strayWords = ({ kind, last_seq }: Row): string =>
  last_seq === null
    ? "its run is missing from haft_runs"
    : `its run in haft_runs does not know of it (${kind})`;

const isTrue = ({ began, latest, agent, status, reason, principal, given, epoch }: Row): boolean => {
  const first = readBody(began);
  const last = readBody(latest);
  const who = principal === null ? undefined : readBody(principal);
  // Rows of 0.1.0 name no epoch, and its runs have the first one.
  const isSame =
    last.agent === agent &&
    last.status === status &&
    (last.reason ?? null) === reason &&
    (last.epoch ?? 1) === epoch;
  return (
    isSame && first.given === given && canonicalJson(who ?? null) === canonicalJson(first.principal ?? null)
  );
};
