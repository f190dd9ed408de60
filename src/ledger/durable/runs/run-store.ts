import * as Effect from "effect/Effect";
import { canonicalJson } from "../../../base/json/canonical-json.ts";
import { LedgerError } from "../../../types/errors.ts";
import type { CancelResult, RunRecord, RunStep, RunStore, RunSummary } from "../../../types/run-store.ts";
import { createBatcher } from "../../create-batcher.ts";
import {
  cancelledCallClosing,
  cancelledRunReason,
  isResumable,
  voidReasonOf,
} from "../../held-run-leases.ts";
import { ledgerUnavailable, lostLeaseRunId, toLedgerError } from "../../ledger-errors.ts";
import { readApprovalHistories } from "../approvals/approval-history.ts";
import { annulApproval } from "../approvals/approval-row.ts";
import { type ChainKeys, isTrustedRow } from "../chain/chain-keys.ts";
import { parseRowBody } from "../chain/signed-row.ts";
import type { Row, Script } from "../database.ts";
import type { DurableStore } from "../durable-store.ts";
import { markUnknown } from "../entry-state.ts";
import { fromPromise } from "../from-promise.ts";
import type { Operation } from "../group-writer.ts";
import type { OwnerPresence } from "../leases/owner-presence.ts";
import type { Transaction } from "../transaction.ts";
import { closeEntry } from "../write-entries.ts";
import {
  type ChainRun,
  digestMessages,
  listStoredRuns,
  readChainRuns,
  readMessageTextsOfRuns,
  toSummary,
} from "./run-row.ts";
import {
  addRunStep,
  addRunStepDeferred,
  amendRun,
  beginRun,
  claimStoredRun,
  dropRunTexts,
  endRun,
  recordRun,
} from "./write-runs.ts";

/** Limits how many conversations are in memory at once. */
const maxRunsPerRead = 32;

/** Reads recover dead owners first, so that their runs can be claimed. */
export const createRunStore = (
  store: DurableStore,
  { recover, dead }: Pick<OwnerPresence, "recover" | "dead">,
): RunStore => {
  const { database, held: heldLeases } = store;
  const afterRecovery = <A>(ask: () => Promise<A>) => fromPromise(() => recover("if due").then(ask));
  const findBatched = createBatcher(maxRunsPerRead, (runIds: readonly string[]) =>
    database.read(() => findStoredRuns(store, runIds, dead())),
  );
  return {
    begin: (start) =>
      Effect.map(
        store.writer.write(() => beginRun(store, start)),
        (epoch) => {
          if (start.queued === undefined) heldLeases.hold(start.runId, epoch);
          return epoch;
        },
      ),
    add: (step) =>
      step.isSoon === true
        ? writeStepDeferred(store, step, () => addRunStepDeferred(store, step))
        : writeUnderLease(store, step, () => addRunStep(store, step)),
    amend: (amendment) => writeUnderLease(store, amendment, () => amendRun(store, amendment)),
    end: (end) =>
      Effect.map(
        writeUnderLease(store, end, () => endRun(store, end)),
        () => heldLeases.release(end.runId, end.epoch),
      ),
    cancel: (runId, by, at) =>
      Effect.map(
        store.writer.write(() => cancelStoredRun(store, runId, by, at)),
        (answer) => {
          if (answer === "given-up") heldLeases.lose(runId, Number.POSITIVE_INFINITY);
          return answer;
        },
      ),
    watch: heldLeases.watch,
    find: (runId) =>
      afterRecovery(async () => {
        const found = await findBatched(runId);
        if (found instanceof LedgerError) throw found;
        return found;
      }),
    list: (query = {}) => afterRecovery(() => database.read(() => listStoredRuns(query, dead()))),
    claim: (runId, at) => {
      const claim = Effect.map(
        store.writer.write(() => claimStoredRun(store, runId, at)),
        (epoch) => {
          if (epoch !== undefined) heldLeases.hold(runId, epoch);
          return epoch;
        },
      );
      // Recovery is needed only if another owner holds the run.
      return Effect.flatMap(claim, (epoch) =>
        epoch === undefined
          ? Effect.andThen(
              fromPromise(() => recover("now")),
              claim,
            )
          : Effect.succeed(epoch),
      );
    },
  };
};

/** A new epoch fences the holder. */
const cancelStoredRun = (
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

type FindRunsContext = Pick<DurableStore, "vault" | "chainKeys" | "dialect">;

/** Per id: the run, undefined, or an error if it does not match the chain. */
function* findStoredRuns(
  store: FindRunsContext,
  runIds: readonly string[],
  dead: readonly string[],
): Script<readonly (RunRecord | LedgerError | undefined)[]> {
  const { vault, chainKeys, dialect } = store;
  const asked = [JSON.stringify([...new Set(runIds)])];
  const rows = yield { sql: `SELECT * FROM haft_runs WHERE run_id ${dialect.amongTexts}`, values: asked };
  const chainRuns = yield* readChainRuns(dialect, rows);
  const texts = yield* readMessageTextsOfRuns(vault, dialect, rows);
  const found = new Map<string, RunRecord | LedgerError>();
  for (const row of rows) {
    const runId = String(row.run_id);
    try {
      found.set(runId, yield* verifyRun(chainKeys, row, chainRuns.get(runId)!, texts.get(runId) ?? [], dead));
    } catch (error) {
      found.set(runId, toLedgerError(error));
    }
  }
  return runIds.map((runId) => found.get(runId));
}

function* verifyRun(
  keys: ChainKeys,
  row: Row,
  { began, step }: ChainRun,
  conversation: readonly string[] | LedgerError,
  dead: readonly string[],
): Script<RunRecord> {
  // Resuming would act as the stored principal.
  if (isResumable(row.status as RunSummary["status"]) && !(yield* hasMatchingStart(keys, row, began))) {
    throw ledgerUnavailable(
      `The run "${row.run_id}" differs from its first row in the chain, so it cannot be resumed. Run haft log --verify for details.`,
    );
  }
  if (conversation instanceof LedgerError) throw conversation;
  if (conversation.length > 0 && !(yield* hasMatchingDigest(keys, conversation, step ?? began))) {
    throw ledgerUnavailable(
      `The conversation of the run "${row.run_id}" differs from the chain, so it cannot be resumed. Run haft log --verify for details.`,
    );
  }
  return {
    ...toSummary(row, dead),
    given: Number(row.given),
    ...runOriginOf(row, began),
    messages: conversation.map((text) => JSON.parse(text)),
  };
}

const runOriginOf = (run: Row, began: Row | undefined): Pick<RunRecord, "firstAgent" | "queued"> => {
  const { agent = run.agent, queued } = began === undefined ? {} : parseRowBody(began.body);
  return {
    firstAgent: String(agent),
    ...(queued === undefined ? {} : { queued: queued as NonNullable<RunRecord["queued"]> }),
  };
};

function* hasMatchingStart(keys: ChainKeys, run: Row, began: Row | undefined): Script<boolean> {
  if (began === undefined || began.kind !== "run-began" || began.run_id !== run.run_id) return false;
  if (!(yield* isTrustedRow(keys, began))) return false;
  const named = parseRowBody(began.body).principal ?? null;
  const stored = run.principal === null ? null : parseRowBody(run.principal);
  return canonicalJson(stored) === canonicalJson(named);
}

/** Rows of 0.1.0 have no digest. */
function* hasMatchingDigest(
  keys: ChainKeys,
  texts: readonly string[],
  step: Row | undefined,
): Script<boolean> {
  if (step === undefined || !(yield* isTrustedRow(keys, step))) return false;
  const { digest } = parseRowBody(step.body);
  return digest === undefined || digest === digestMessages(texts);
}

export const writeUnderLease = <A>(
  { writer, held }: DurableStore,
  { epoch }: { readonly epoch?: number | undefined },
  make: () => Operation<A>,
): Effect.Effect<A, LedgerError> =>
  epoch === undefined
    ? writer.write(make)
    : Effect.tapError(writer.write(make), (error) =>
        Effect.sync(() => {
          const runId = lostLeaseRunId(error);
          if (runId !== undefined) held.lose(runId, epoch);
        }),
      );

/** A failure is reported to the run's next write. */
const writeStepDeferred = (
  { writer, held }: DurableStore,
  { runId, epoch }: Pick<RunStep, "runId" | "epoch">,
  make: () => Operation<void>,
): Effect.Effect<void> =>
  Effect.sync(() =>
    writer.writeSoon(make, (error) => {
      held.miss(runId, epoch, error);
      if (lostLeaseRunId(error) !== undefined) held.lose(runId, epoch);
    }),
  );
