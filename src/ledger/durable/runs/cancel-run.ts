import type { CancelResult, RunSummary } from "../../../types/run-store.ts";
import { isResumable } from "../../is-resumable.ts";
import { cancelledCallClosing, cancelledRunReason, voidReasonOf } from "../../run-cancellation.ts";
import { readApprovalHistories } from "../approvals/approval-history.ts";
import { annulApproval } from "../approvals/find-approval-row.ts";
import type { Row, Script } from "../database.ts";
import type { DurableStore } from "../durable-store.ts";
import type { Operation } from "../group-writer.ts";
import { markUnknown } from "../mark-unknown.ts";
import type { Transaction } from "../transaction.ts";
import { closeEntry } from "../write-entries.ts";
import { dropRunTexts, recordRun } from "./write-runs.ts";

/** A new epoch fences the holder. */
export const cancelStoredRun = (
  store: DurableStore,
  runId: string,
  by: string | undefined,
  at: number,
): Operation<CancelResult> => {
  const reason = store.rowTexts.text(cancelledRunReason(runId, by));
  return {
    entryIds: [],
    claims: () => runId,
    *run(transaction) {
      const run = transaction.claims.get(runId);
      if (run === undefined) return "unknown";
      if (!isResumable(run.status as RunSummary["status"])) return "ended";
      const epoch = Number(run.epoch) + 1;
      transaction.runs.change(runId, { owner: null, epoch });
      recordRun(
        transaction,
        "run-ended",
        { runId, agent: String(run.agent), status: "stopped", reason, epoch },
        at,
      );
      yield* annulOpenApprovals(store, transaction, runId, at);
      yield* endOpenCalls(store, transaction, runId, at);
      yield* dropRunTexts(store, transaction, run);
      return "given-up";
    },
  };
};

function* annulOpenApprovals(
  store: DurableStore,
  transaction: Transaction,
  runId: string,
  at: number,
): Script<void> {
  yield* transaction.flush();
  const rows = yield {
    sql: "SELECT * FROM haft_approvals WHERE run_id = ? AND status IN ('waiting', 'answered')",
    values: [runId],
  };
  const all = yield* readApprovalHistories(store, [...new Set(rows.map(({ entry_id }) => String(entry_id)))]);
  for (const row of rows) {
    yield* annulApproval(
      transaction,
      { row, kept: all.get(String(row.id)), lie: "" },
      voidReasonOf(runId),
      at,
    );
  }
}

/** Open calls become `unknown`; pending ones must not prevent pruning. */
function* endOpenCalls(
  store: DurableStore,
  transaction: Transaction,
  runId: string,
  at: number,
): Script<void> {
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
    else yield* closeEntry(store, cancelledCallClosing(runId, entryId, hasRunBefore(row))).run(transaction);
  }
}

const hasRunBefore = ({ body }: Row): boolean | undefined =>
  typeof body === "string" ? (JSON.parse(body) as { readonly ran?: boolean }).ran : undefined;
