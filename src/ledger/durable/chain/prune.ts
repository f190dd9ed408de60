import { canonicalJson } from "../../../json/canonical-json.ts";
import type { Pruned } from "../../../words/durable-ledger.ts";
import type { Script } from "../database.ts";
import type { Operation } from "../writer.ts";
import { readAnchor } from "./verify.ts";

const count = (rows: readonly unknown[]): number => rows.length;

/**
 * Takes away the beginning of the chain, as far as nothing in it can still go on: up to the first row that is newer,
 * or that opened an entry which was not closed for good before that time. What is left is proved from an anchor,
 * which a row of the chain confirms.
 */
export const pruning = (before: number, at: number): Operation<Pruned> => ({
  entryIds: [],
  *run(page) {
    yield* page.flush();
    const anchor = yield* readAnchor();
    const upTo = yield* lastPrunable(before);
    if (upTo <= anchor.seq) return { rows: 0, entries: 0, payloads: 0 };
    const [row] = yield { sql: "SELECT hash FROM haft_records WHERE seq = ?", values: [upTo] };
    const hash = String(row?.hash);
    yield { sql: "UPDATE haft_anchor SET seq = ?, hash = ?", values: [upTo, hash] };
    const ofThem = "entry_id IN (SELECT entry_id FROM haft_entries WHERE open_seq <= ?)";
    const payloads = yield {
      sql: `DELETE FROM haft_payloads WHERE ${ofThem} RETURNING file`,
      values: [upTo],
    };
    page.trash(payloads);
    yield { sql: `DELETE FROM haft_keys WHERE ${ofThem}`, values: [upTo] };
    yield { sql: `DELETE FROM haft_approvals WHERE ${ofThem}`, values: [upTo] };
    const entries = yield {
      sql: "DELETE FROM haft_entries WHERE open_seq <= ? RETURNING open_seq",
      values: [upTo],
    };
    yield* forgetRuns(upTo);
    const rows = yield { sql: "DELETE FROM haft_records WHERE seq <= ? RETURNING seq", values: [upTo] };
    page.append({
      at,
      kind: "pruned",
      entryId: null,
      runId: null,
      body: canonicalJson({ upTo, hash, rows: count(rows), entries: count(entries) }),
    });
    return { rows: count(rows), entries: count(entries), payloads: count(payloads) };
  },
});

function* lastPrunable(before: number): Script<number> {
  const [row] = yield {
    sql: `SELECT (SELECT MIN(seq) FROM haft_records WHERE at >= ?) AS newer,
      (SELECT MIN(open_seq) FROM haft_entries
       WHERE ending NOT IN ('executed', 'failed', 'unknown') OR closed_at >= ?) AS alive,
      (SELECT MIN(began_seq) FROM haft_runs WHERE status IN ('running', 'pending')) AS running,
      (SELECT MAX(seq) FROM haft_records) AS head`,
    values: [before, before],
  };
  const { newer = null, alive = null, running = null, head = null } = row ?? {};
  const firsts = [newer, alive, running].flatMap((seq) => (seq === null ? [] : [Number(seq) - 1]));
  return Math.min(Number(head ?? 0), ...firsts);
}

function* forgetRuns(upTo: number): Script<void> {
  yield {
    sql: "DELETE FROM haft_run_messages WHERE run_id IN (SELECT run_id FROM haft_runs WHERE began_seq <= ?)",
    values: [upTo],
  };
  yield { sql: "DELETE FROM haft_runs WHERE began_seq <= ?", values: [upTo] };
}
