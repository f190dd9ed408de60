import { canonicalJson } from "../../../base/json/canonical-json.ts";
import { LedgerError } from "../../../types/errors.ts";
import type { Message } from "../../../types/message.ts";
import {
  type RunAmendment,
  type RunEnd,
  type RunStart,
  type RunStep,
  runKindOf,
} from "../../../types/run-store.ts";
import { isResumable } from "../../held-run-leases.ts";
import { ledgerUnavailable } from "../../ledger-errors.ts";
import type { Row, Script } from "../database.ts";
import type { DurableStore } from "../durable-store.ts";
import type { Operation } from "../group-writer.ts";
import { type LazySealedText, sealLazily } from "../payloads/vault.ts";
import { toStorableName } from "../row-texts.ts";
import type { Transaction } from "../transaction.ts";
import {
  answeredCallOf,
  digestMessages,
  findRunQuery,
  messageSealContext,
  readMessageTexts,
  toMessageRows,
} from "./run-row.ts";

const sealAll = (
  { vault }: DurableStore,
  runId: string,
  messages: readonly Message[],
): readonly LazySealedText[] =>
  messages.map((message) => sealLazily(vault, JSON.stringify(message), messageSealContext(runId)));

/** A failure must leave no partial step. */
const getSealedTexts = (sealed: readonly LazySealedText[]) => sealed.map((each) => each.get());

const discardAll = (sealed: readonly LazySealedText[]) => () => {
  for (const each of sealed) each.discard();
};

const firstEpoch = 1;

export const beginRun = (store: DurableStore, start: RunStart): Operation<number> => {
  const { owner, rowTexts, keepPayloads } = store;
  const { messages, principal, queued, at } = start;
  const runId = toStorableName(start.runId);
  const agent = toStorableName(start.agent);
  const sealed = sealAll(store, runId, messages);
  const who = principal === undefined ? undefined : rowTexts.known(principal);
  const nothing = JSON.stringify({ inputTokens: 0, outputTokens: 0 });
  return {
    entryIds: [],
    discard: discardAll(sealed),
    *run(transaction) {
      // With a cache the database refuses duplicates, and the transaction is retried without it.
      const isBegunHere = transaction.claims.get(runId) !== undefined;
      const isBegun = isBegunHere || (!transaction.isRemembering && (yield findRunQuery(runId)).length > 0);
      if (isBegun) throw ledgerUnavailable(`The run "${runId}" already exists.`);
      const kept = getSealedTexts(sealed);
      const given = messages.length;
      const digest = digestMessages(messages.map((message) => JSON.stringify(message)));
      const body = canonicalJson({
        agent,
        status: "running",
        principal: who,
        given,
        epoch: firstEpoch,
        digest,
        queued,
      });
      const seq = transaction.append({ at, kind: "run-began", entryId: null, runId, body });
      const row: Row = {
        run_id: runId,
        agent,
        principal: who === undefined ? null : JSON.stringify(who),
        status: "running",
        reason: null,
        turns: 0,
        usage: nothing,
        started_at: at,
        updated_at: at,
        owner: queued === undefined ? owner : null,
        epoch: firstEpoch,
        given,
        messages: given,
        began_seq: seq,
        last_seq: seq,
        recorded: Number(keepPayloads),
        digest,
      };
      transaction.runs.begin(runId, row);
      transaction.runs.addMessages(toMessageRows(runId, 0, messages, kept));
      return firstEpoch;
    },
  };
};

/** Also requires that all earlier deferred writes succeeded. */
export const requireWritableRun = (
  { held, owner }: DurableStore,
  { claims }: Transaction,
  runId: string,
  epoch: number,
): Row => {
  const run = claims.held(runId, epoch, owner);
  const missing = claims.missing(runId) ?? held.missing(runId, epoch);
  if (missing !== undefined) throw missing;
  return run;
};

export const addRunStep = (store: DurableStore, step: RunStep): Operation<void> => {
  const { runId, epoch, messages, turns, at } = step;
  const agent = toStorableName(step.agent);
  const usage = JSON.stringify(step.usage);
  const sealed = sealAll(store, runId, messages);
  return {
    entryIds: [],
    claims: () => runId,
    discard: discardAll(sealed),
    *run(transaction) {
      const before = requireWritableRun(store, transaction, runId, epoch);
      const count = Number(before.messages);
      const all = count + messages.length;
      const kept = getSealedTexts(sealed);
      const texts = messages.map((message) => JSON.stringify(message));
      const digest = digestMessages(texts, yield* digestBefore(store, before));
      transaction.append({
        at,
        kind: "run-step",
        entryId: null,
        runId,
        body: canonicalJson({ messages: all, digest, epoch }),
      });
      transaction.runs.change(runId, { turns, usage, updated_at: at, messages: all, digest });
      if (before.agent !== agent) {
        const { status, reason } = before as { readonly status: string; readonly reason: string | null };
        recordRun(
          transaction,
          "run-handed",
          { runId, agent, status, reason: reason ?? undefined, epoch },
          at,
        );
      }
      transaction.runs.addMessages(toMessageRows(runId, count, messages, kept));
    },
  };
};

/** A failure is reported to the next write of the run. */
export const addRunStepDeferred = (store: DurableStore, step: RunStep): Operation<void> => {
  const operation = addRunStep(store, step);
  return {
    ...operation,
    *run(transaction) {
      try {
        yield* operation.run(transaction);
      } catch (error) {
        if (error instanceof LedgerError) transaction.claims.miss(step.runId, error);
        throw error;
      }
    },
  };
};

export const amendRun = (
  store: DurableStore,
  { runId, epoch, messages, at }: RunAmendment,
): Operation<void> => {
  const sealed = sealAll(store, runId, messages);
  return {
    entryIds: [],
    claims: () => runId,
    discard: discardAll(sealed),
    *run(transaction) {
      const before = requireWritableRun(store, transaction, runId, epoch);
      const kept = getSealedTexts(sealed);
      yield* transaction.flush();
      const places: Row[] = [];
      if (!store.vault.isLocked) for (const each of messages) places.push(yield* findMessageRow(runId, each));
      transaction.trash(places);
      for (const [i, { number }] of places.entries()) {
        const [, isPending] = answeredCallOf(messages[i]!);
        yield {
          sql: "UPDATE haft_run_messages SET pending = ?, sealed = ?, file = ? WHERE run_id = ? AND number = ?",
          values: [Number(isPending), ...kept[i]!, runId, Number(number)],
        };
      }
      if (store.vault.isLocked) {
        transaction.runs.change(runId, { updated_at: at });
        return;
      }
      const digest = digestMessages(yield* readMessageTexts(store.vault, runId));
      const body = canonicalJson({ messages: Number(before.messages), digest, epoch });
      transaction.append({ at, kind: "run-step", entryId: null, runId, body });
      transaction.runs.change(runId, { updated_at: at, digest });
    },
  };
};

/** Runs of 0.1.0 have no digest. */
function* digestBefore({ vault }: DurableStore, run: Row): Script<string> {
  if (typeof run.digest === "string") return run.digest;
  return vault.isLocked ? "" : digestMessages(yield* readMessageTexts(vault, String(run.run_id)));
}

function* findMessageRow(runId: string, message: Message): Script<Row> {
  const [callId] = answeredCallOf(message);
  const [place] = yield {
    sql: `SELECT number, file FROM haft_run_messages WHERE run_id = ? AND call_id = ?
          ORDER BY pending DESC, number DESC LIMIT 1`,
    values: [runId, callId],
  };
  if (place !== undefined) return place;
  throw ledgerUnavailable(
    `The run "${runId}" has no message about the call "${callId}" that could be replaced.`,
  );
}

export const endRun = (
  store: DurableStore,
  { runId, epoch, status, reason, at }: RunEnd,
): Operation<void> => {
  const why = reason === undefined ? undefined : store.rowTexts.text(reason);
  return {
    entryIds: [],
    claims: () => runId,
    *run(transaction) {
      // A failure is recorded even if earlier writes are missing.
      const run =
        status === "failed"
          ? transaction.claims.held(runId, epoch, store.owner)
          : requireWritableRun(store, transaction, runId, epoch);
      const agent = String(run.agent);
      recordRun(transaction, "run-ended", { runId, agent, status, reason: why, epoch }, at);
      transaction.runs.change(runId, { owner: null });
      if (!isResumable(status)) yield* dropRunTexts(store, transaction, run);
    },
  };
};

/** Texts of idempotency keys stay, because they may be replayed. */
export function* dropRunTexts(
  { keepPayloads, blobs }: DurableStore,
  transaction: Transaction,
  run: Row,
): Script<void> {
  const runId = String(run.run_id);
  const kind = runKindOf(runId);
  // Decided when the run began, except for deleted chats.
  if (kind !== "chat" && (run.recorded === 1 || keepPayloads)) return;
  // The submitter reads the answer after the run has ended.
  const isConversationKept = kind === "job";
  if (blobs === undefined) {
    transaction.runs.dropTextsOf(runId, isConversationKept);
    return;
  }
  yield* transaction.flush();
  const payloads = yield {
    sql: `DELETE FROM haft_payloads WHERE run_id = ?
          AND entry_id NOT IN (SELECT entry_id FROM haft_keys)
          AND entry_id NOT IN (SELECT entry_id FROM haft_entries WHERE run_id = ? AND ending = 'pending')
          RETURNING file`,
    values: [runId, runId],
  };
  transaction.trash(payloads);
  if (isConversationKept) return;
  transaction.trash(
    yield { sql: "DELETE FROM haft_run_messages WHERE run_id = ? RETURNING file", values: [runId] },
  );
}

const claimableStatuses = ["running", "pending", "failed"];

/** Of concurrent claims exactly one succeeds. */
export const claimStoredRun = (
  { owner }: DurableStore,
  runId: string,
  at: number,
): Operation<number | undefined> => ({
  entryIds: [],
  claims: () => runId,
  *run(transaction) {
    yield* transaction.claims.lock([runId]);
    const run = transaction.claims.get(runId);
    if (run === undefined || run.owner !== null || !claimableStatuses.includes(String(run.status)))
      return undefined;
    const epoch = Number(run.epoch) + 1;
    transaction.runs.change(runId, { owner, epoch });
    recordRun(transaction, "run-resumed", { runId, agent: String(run.agent), status: "running", epoch }, at);
    return epoch;
  },
});

interface RecordedRunState {
  readonly runId: string;
  readonly agent: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly epoch: number;
}

export const recordRun = (
  transaction: Transaction,
  kind: string,
  { runId, ...state }: RecordedRunState,
  at: number,
): void => {
  const { agent, status, reason = null } = state;
  const seq = transaction.append({ at, kind, entryId: null, runId, body: canonicalJson(state) });
  transaction.runs.change(runId, { agent, status, reason, updated_at: at, last_seq: seq });
};
