import { canonicalJson } from "../../../base/json/canonical-json.ts";
import { releaseChains } from "../chain/chains.ts";
import type { Script } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";
import type { Operation } from "../group-writer.ts";
import { notExecutedSql } from "../lease-tables.ts";
import { markUnknown } from "../mark-unknown.ts";
import type { Transaction } from "../transaction.ts";
import type { DeadOwner } from "./check-leases.ts";

/** Skips owners that sent a heartbeat since the check. */
export const recoverDeadOwners = (
  dialect: SqlDialect,
  candidates: readonly DeadOwner[],
  at: number,
): Operation<void> => ({
  entryIds: [],
  *run(transaction) {
    const dead: string[] = [];
    for (const { owner, beats } of candidates) {
      const row = yield* removeOwner(owner, beats);
      if (row) dead.push(owner);
    }
    if (dead.length === 0) return;
    yield* releaseOwned(dialect, transaction, dead, at);
    yield* releaseChains(dialect, dead);
  },
});

/** Without a row, it was removed before it opened entries. */
function* removeOwner(owner: string, beats: number | undefined): Script<boolean> {
  if (beats === undefined) {
    return (yield { sql: "SELECT 1 FROM haft_owners WHERE owner = ?", values: [owner] }).length === 0;
  }
  const removed = yield {
    sql: "DELETE FROM haft_owners WHERE owner = ? AND beats = ? RETURNING owner",
    values: [owner, beats],
  };
  return removed.length > 0;
}

export const leaveLedger = (dialect: SqlDialect, owner: string, at: number): Operation<void> => ({
  entryIds: [],
  *run(transaction) {
    yield { sql: "DELETE FROM haft_owners WHERE owner = ?", values: [owner] };
    yield* releaseOwned(dialect, transaction, [owner], at);
  },
});

function* releaseOwned(
  dialect: SqlDialect,
  transaction: Transaction,
  owners: readonly string[],
  at: number,
): Script<void> {
  yield* transaction.flush();
  const theirs = [JSON.stringify(owners)];
  const left = yield {
    sql: `SELECT entry_id FROM haft_entries WHERE ending = 'open' AND ${notExecutedSql} AND owner ${dialect.amongTexts}`,
    values: theirs,
  };
  for (const { entry_id } of left) {
    const entry = yield* transaction.entry(String(entry_id));
    if (entry?.ending === "open") markUnknown(transaction, entry, at);
  }
  const runs = yield {
    sql: `SELECT run_id FROM haft_runs WHERE owner ${dialect.amongTexts} ORDER BY run_id ${dialect.lockRows}`,
    values: theirs,
  };
  const runIds = runs.map(({ run_id }) => String(run_id));
  yield* transaction.claims.lock(runIds);
  for (const runId of runIds) releaseRun(transaction, runId, at);
}

/** The new epoch fences a former holder that is still alive. */
const releaseRun = (transaction: Transaction, runId: string, at: number): void => {
  const run = transaction.claims.get(runId);
  const { agent, status, reason } = run as Readonly<Record<"agent" | "status" | "reason", string | null>>;
  const epoch = Number(run?.epoch) + 1;
  const body = canonicalJson({ agent, status, reason: reason ?? undefined, epoch });
  const seq = transaction.append({ at, kind: "run-lost", entryId: null, runId, body });
  transaction.runs.change(runId, { owner: null, epoch, last_seq: seq });
};
