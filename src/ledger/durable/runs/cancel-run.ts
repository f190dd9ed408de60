import type { GivenUp, RunSummary } from "../../../words/run-book.ts";
import { annulledBecause, givenUpClosing, givenUpReason } from "../../given-up.ts";
import { mayGoOn } from "../../may-go-on.ts";
import { histories } from "../approvals/approval-history.ts";
import { annul } from "../approvals/look-up.ts";
import type { Row, Script } from "../database.ts";
import { markUnknown } from "../mark-unknown.ts";
import type { Store } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { closing } from "../write-entries.ts";
import type { Operation } from "../writer.ts";
import { dropTexts, recordRun } from "./write-runs.ts";

/** Ends a run for good, whoever holds it: a new epoch fences that one off, and nothing of the run waits any more. */
export const givingUp = (
  store: Store,
  runId: string,
  by: string | undefined,
  at: number,
): Operation<GivenUp> => {
  const reason = store.rowTexts.text(givenUpReason(runId, by));
  return {
    entryIds: [],
    claims: () => runId,
    *run(transaction) {
      const run = transaction.claims.get(runId);
      if (run === undefined) return "unknown";
      if (!mayGoOn(run.status as RunSummary["status"])) return "ended";
      const epoch = Number(run.epoch) + 1;
      transaction.runs.change(runId, { owner: null, epoch });
      recordRun(
        transaction,
        "run-ended",
        { runId, agent: String(run.agent), status: "stopped", reason, epoch },
        at,
      );
      yield* annulAll(store, transaction, runId, at);
      yield* endCalls(store, transaction, runId, at);
      yield* dropTexts(store, transaction, run);
      return "given-up";
    },
  };
};

function* annulAll(store: Store, transaction: Transaction, runId: string, at: number): Script<void> {
  yield* transaction.flush();
  const rows = yield {
    sql: "SELECT * FROM haft_approvals WHERE run_id = ? AND status IN ('waiting', 'answered')",
    values: [runId],
  };
  const all = yield* histories(store, [...new Set(rows.map(({ entry_id }) => String(entry_id)))]);
  for (const row of rows) {
    yield* annul(transaction, { row, kept: all.get(String(row.id)), lie: "" }, annulledBecause(runId), at);
  }
}

/** What was under way is `unknown`; what waited is over, so that it neither goes on nor pins the ledger. */
function* endCalls(store: Store, transaction: Transaction, runId: string, at: number): Script<void> {
  yield* transaction.flush();
  const left = yield {
    sql: `SELECT e.entry_id, e.ending, c.body FROM haft_entries e LEFT JOIN haft_records c ON c.seq = e.close_seq
          WHERE e.run_id = ? AND e.ending IN ('open', 'pending', 'hydrated') ORDER BY e.open_seq`,
    values: [runId],
  };
  for (const row of left) {
    const entryId = String(row.entry_id);
    const entry = yield* transaction.entry(entryId);
    if (row.ending === "open" && entry !== undefined) markUnknown(transaction, entry, at);
    else yield* closing(store, givenUpClosing(runId, entryId, ranBefore(row))).run(transaction);
  }
}

const ranBefore = ({ body }: Row): boolean | undefined =>
  typeof body === "string" ? (JSON.parse(body) as { readonly ran?: boolean }).ran : undefined;
