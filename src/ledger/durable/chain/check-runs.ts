import { canonicalJson } from "../../../base/json/canonical-json.ts";
import type { Row, Script, SqlValue } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";
import { newestStep } from "../runs/run-row.ts";
import type { BrokenRow } from "./chain-check.ts";
import type { RowPage } from "./check-entries.ts";
import { chainOf, parseRowBody } from "./signed-row.ts";

const runRowKinds = "'run-began', 'run-handed', 'run-resumed', 'run-lost', 'run-ended'";

const runMismatchReason = "its run in haft_runs differs from the row";

export function* checkRuns({ isKept }: SqlDialect, page: RowPage): Script<BrokenRow | undefined> {
  const { range } = page;
  const [invented] = yield {
    sql: `SELECT h.began_seq FROM haft_runs h LEFT JOIN haft_records b ON b.seq = h.began_seq
          LEFT JOIN haft_records l ON l.seq = h.last_seq
          WHERE h.began_seq > ? AND h.began_seq <= ? AND (b.seq IS NULL OR b.kind <> 'run-began' OR b.run_id <> h.run_id
          OR l.seq IS NULL OR l.kind NOT IN (${runRowKinds}) OR l.run_id <> h.run_id) ORDER BY h.began_seq LIMIT 1`,
    values: range,
  };
  if (invented !== undefined) return { seq: Number(invented.began_seq), why: runMismatchReason };
  if (![...page.kinds].some((kind) => kind.startsWith("run-"))) return undefined;
  const rows = yield {
    sql: `SELECT r.seq, r.kind, r.body, h.last_seq, h.epoch FROM haft_records r
          LEFT JOIN haft_runs h ON h.run_id = r.run_id
          WHERE r.seq > ? AND r.seq <= ? AND r.kind IN (${runRowKinds}) AND ${isKept("r.seq")}
          AND (h.last_seq <> r.seq OR (h.last_seq IS NULL AND r.kind = 'run-began')) ORDER BY r.seq`,
    values: range,
  };
  const stray = rows.find(isUnlinkedRow);
  if (stray !== undefined) return { seq: Number(stray.seq), why: unlinkedRunReason(stray) };
  const runs = yield {
    sql: `SELECT h.agent, h.status, h.reason, h.principal, h.given, h.epoch, h.last_seq, b.body AS began, l.body AS latest
          FROM haft_runs h JOIN haft_records b ON b.seq = h.began_seq JOIN haft_records l ON l.seq = h.last_seq
          WHERE h.began_seq > ? AND h.began_seq <= ? ORDER BY h.began_seq`,
    values: range,
  };
  const mismatched = runs.find((run) => !hasMatchingRows(run));
  if (mismatched !== undefined) return { seq: Number(mismatched.last_seq), why: runMismatchReason };
  const conversations = yield {
    sql: `SELECT h.messages, h.digest, h.last_seq, b.body AS began,
            (SELECT COUNT(*) FROM haft_run_messages m WHERE m.run_id = h.run_id) AS kept,
            h.run_id FROM haft_runs h JOIN haft_records b ON b.seq = h.began_seq
          WHERE h.began_seq > ? AND h.began_seq <= ? AND h.status IN ('running', 'pending', 'failed')
          ORDER BY h.began_seq`,
    values: range,
  };
  const steps = yield* lastSteps(range);
  const cut = conversations.find(
    (run) => !isConversationComplete(run, newestStep(steps.get(run.run_id ?? null) ?? [])),
  );
  return cut === undefined ? undefined : { seq: Number(cut.last_seq), why: truncatedConversationReason };
}

/** Only runs that may be resumed keep their conversation. */
function* lastSteps(range: RowPage["range"]): Script<ReadonlyMap<SqlValue, readonly Row[]>> {
  const rows = yield {
    sql: `SELECT s.run_id, s.seq, s.body FROM haft_records s WHERE s.seq IN (SELECT MAX(r.seq) FROM haft_records r
            JOIN haft_runs h ON h.run_id = r.run_id
            WHERE h.began_seq > ? AND h.began_seq <= ? AND h.status IN ('running', 'pending', 'failed')
            AND r.kind = 'run-step' GROUP BY r.run_id, r.chain)`,
    values: range,
  };
  return Map.groupBy(rows, ({ run_id }) => run_id ?? null);
}

/** All rows of one claim are in one chain. */
const isUnlinkedRow = ({ seq, kind, body, last_seq, epoch }: Row): boolean => {
  if (last_seq === null) return kind === "run-began";
  const isSameChain = chainOf(Number(seq)) === chainOf(Number(last_seq));
  return isSameChain
    ? Number(seq) > Number(last_seq)
    : Number(parseRowBody(body).epoch ?? 1) >= Number(epoch);
};

const truncatedConversationReason = "the conversation of its run differs from the chain";

/** Messages are absent without a payload key, and runs of 0.1.0 have no digest. */
const isConversationComplete = ({ messages, digest, kept, began }: Row, step: Row | undefined): boolean => {
  const first = parseRowBody(began);
  const latest =
    step === undefined ? { messages: first.given, digest: first.digest } : parseRowBody(step.body);
  if (latest.digest === undefined) return true;
  const isComplete = Number(kept) === 0 || Number(kept) === Number(messages);
  return isComplete && Number(messages) === latest.messages && digest === latest.digest;
};

const unlinkedRunReason = ({ kind, last_seq }: Row): string =>
  last_seq === null
    ? "its run is missing from haft_runs"
    : `its run in haft_runs has no record of it (${kind})`;

const hasMatchingRows = ({ began, latest, agent, status, reason, principal, given, epoch }: Row): boolean => {
  const first = parseRowBody(began);
  const last = parseRowBody(latest);
  const who = principal === null ? undefined : parseRowBody(principal);
  // Runs of 0.1.0 have epoch 1.
  const isSame =
    last.agent === agent &&
    last.status === status &&
    (last.reason ?? null) === reason &&
    (last.epoch ?? 1) === epoch;
  return (
    isSame && first.given === given && canonicalJson(who ?? null) === canonicalJson(first.principal ?? null)
  );
};
