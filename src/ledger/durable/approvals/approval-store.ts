import * as Effect from "effect/Effect";
import { canonicalJson } from "../../../base/json/canonical-json.ts";
import type {
  AnswerStatus,
  ApprovalQuery,
  ApprovalRecord,
  ApprovalStore,
  GrantQuery,
  RecordedAnswer,
  TakeApprovalResult,
} from "../../../types/approval.ts";
import type { Principal } from "../../../types/principal.ts";
import { applyAnswer, applyTake, isGrantFor, matchesApprovalQuery } from "../../approval-transitions.ts";
import { leaseLostError, ledgerUnavailable } from "../../ledger-errors.ts";
import { isFinalEnding } from "../../settled-closing.ts";
import type { Script, SqlValue } from "../database.ts";
import type { DurableStore } from "../durable-store.ts";
import { fromPromise } from "../from-promise.ts";
import type { Operation } from "../group-writer.ts";
import { sealLazily, toSealedText } from "../payloads/vault.ts";
import type { Transaction } from "../transaction.ts";
import { reopenStoredEntry } from "../write-entries.ts";
import { type ChainReadContext, readApprovalHistories } from "./approval-history.ts";
import {
  annulApproval,
  annulMismatched,
  type ChainApproval,
  type FoundApproval,
  findApprovalRow,
  lockApprovalRow,
  readChainApprovals,
  updateApprovalQuery,
} from "./approval-row.ts";
import { toAnswerBody, toShownDecision, toShownPrincipal } from "./write-approval.ts";

export const createApprovalStore = (store: DurableStore): ApprovalStore => {
  const { database, writer } = store;
  const read = <A>(script: () => Script<A>) => fromPromise(() => database.read(script));
  return {
    isDurable: true,
    find: (id) => read(() => findApproval(store, id)),
    list: (query = {}) => read(() => listApprovals(store, query)),
    standing: (call) => read(() => findStoredGrant(store, call)),
    answer: (id, answering) => writer.write(() => recordAnswer(store, id, answering)),
    take: (id, at) => writer.write(() => takeStoredApproval(store, id, at)),
    annul: (id, why, at) => writer.write(() => annulById(store, id, why, at)),
    refuse: (id, by, at) => Effect.asVoid(writer.write(() => recordRefusedAnswer(store, id, by, at))),
  };
};

const takeStoredApproval = (store: DurableStore, id: string, at: number): Operation<TakeApprovalResult> => ({
  entryIds: [],
  *run(transaction) {
    yield* transaction.flush();
    const found = yield* lockApprovalRow(store, id);
    if (found === undefined) return { kind: "unknown" };
    if (found.lie !== undefined) {
      yield* annulMismatched(transaction, found, found.lie, at);
      return { kind: "void" };
    }
    const { kept } = found;
    if (!kept.isAnswerProved && kept.record.status === "answered") {
      yield* annulApproval(
        transaction,
        found,
        "its answer has no MAC, so its approver cannot be verified",
        at,
      );
      return { kind: "void" };
    }
    const { kind, next } = applyTake(kept.record, store.clock.toServerTime(at));
    if (next === undefined) return { kind } as TakeApprovalResult;
    if (kind !== "taken") {
      yield* writeTransition(transaction, next, kept.askedSeq, "expired", at);
      return { kind } as TakeApprovalResult;
    }
    yield* requireUnheldRun(store, transaction, next.runId);
    const entry = yield* transaction.entry(next.entryId);
    // The call has ended without this approval: continuing would run the tool a second time.
    if (entry === undefined || isFinalEnding(entry.ending) || entry.ending === "open") {
      yield* annulApproval(transaction, found, "its call ended without it", at);
      return { kind: "void" };
    }
    const record = yield* withExactTexts(store, { ...kept, record: next });
    const seq = yield* writeTransition(transaction, next, kept.askedSeq, "used", at);
    reopenStoredEntry(store, transaction, entry, seq);
    yield* annulSiblings(store, transaction, found, at);
    return { kind: "taken", record };
  },
});

function* requireUnheldRun({ owner }: DurableStore, transaction: Transaction, runId: string): Script<void> {
  yield* transaction.claims.lock([runId]);
  const holder = transaction.claims.get(runId)?.owner ?? null;
  if (holder !== null && holder !== owner) throw leaseLostError(runId);
}

/** The call must continue only once. */
function* annulSiblings(
  store: DurableStore,
  transaction: Transaction,
  { row }: FoundApproval,
  at: number,
): Script<void> {
  const others = yield {
    sql: "SELECT * FROM haft_approvals WHERE entry_id = ? AND id <> ?",
    values: [String(row.entry_id), String(row.id)],
  };
  if (others.length === 0) return;
  const all = yield* readApprovalHistories(store, [String(row.entry_id)]);
  for (const other of others) {
    const kept = all.get(String(other.id));
    const status = kept?.record.status;
    if (status !== "waiting" && status !== "answered") continue;
    yield* annulApproval(
      transaction,
      { row: other, kept, lie: "" },
      "its call resumed with another approval",
      at,
    );
  }
}

function* writeTransition(
  transaction: Transaction,
  record: ApprovalRecord,
  askedSeq: number,
  kind: string,
  at: number,
): Script<number> {
  const { id, entryId, runId } = record;
  yield updateApprovalQuery(record, askedSeq);
  const body = canonicalJson({ id });
  const entry = yield* transaction.entry(entryId);
  if (entry === undefined) return transaction.append({ at, kind, entryId, runId, body });
  const seq = transaction.append({ at, kind, entryId, runId, body: transaction.behind(entry, body) });
  if (kind !== "used") transaction.mention(entry, seq);
  return seq;
}

function* withExactTexts(
  store: DurableStore,
  { record, isExact, isEditExact }: ChainApproval,
): Script<ApprovalRecord> {
  const { id, entryId, decision } = record;
  if (isExact && isEditExact) return record;
  const rows = yield {
    sql: "SELECT kind, sealed, file FROM haft_payloads WHERE entry_id = ? AND kind IN (?, ?)",
    values: [entryId, `approval:${id}`, `edit:${id}`],
  };
  const textOf = (kind: string): unknown => {
    const row = rows.find((each) => each.kind === `${kind}:${id}`);
    if (row === undefined) return undefined;
    return JSON.parse(store.vault.unseal(toSealedText(row.sealed, row.file), `${id}/${kind}`));
  };
  const input = isExact ? record.input : (textOf("approval") ?? record.input);
  if (decision?.kind !== "edit" || isEditExact) return { ...record, input };
  const edited = textOf("edit");
  if (edited === undefined) {
    throw ledgerUnavailable(`The edited arguments of "${id}" are no longer stored.`);
  }
  return { ...record, input, decision: { kind: "edit", input: edited } };
}

function* findApproval(reading: ChainReadContext, id: string): Script<ApprovalRecord | undefined> {
  return (yield* findApprovalRow(reading, id))?.kept?.record;
}

function* listApprovals(reading: ChainReadContext, query: ApprovalQuery): Script<readonly ApprovalRecord[]> {
  const { status, runId, tool, limit } = query;
  const asked = Object.entries({ status, run_id: runId, tool }).filter(([, value]) => value !== undefined);
  const where = asked.length === 0 ? "" : `WHERE ${asked.map(([name]) => `${name} = ?`).join(" AND ")}`;
  const values = asked.map(([, value]) => value as SqlValue);
  const most = limit === undefined ? "" : "LIMIT ?";
  const rows = yield {
    sql: `SELECT id, entry_id FROM haft_approvals ${where} ORDER BY asked_at DESC, asked_seq DESC ${most}`,
    values: limit === undefined ? values : [...values, limit],
  };
  const records = (yield* readChainApprovals(reading, rows.toReversed())).map(({ record }) => record);
  return records.filter((record) => matchesApprovalQuery(record, query));
}

function* findStoredGrant(reading: ChainReadContext, call: GrantQuery): Script<ApprovalRecord | undefined> {
  const rows = yield {
    sql: `SELECT id, entry_id FROM haft_approvals WHERE tool = ? AND definition = ? AND always IS NOT NULL
          AND status IN ('answered', 'used') ORDER BY asked_at DESC, asked_seq DESC`,
    values: [call.tool, call.definition],
  };
  const kept = yield* readChainApprovals(reading, rows);
  return kept.find(({ record, isAnswerProved }) => isAnswerProved && isGrantFor(record, call))?.record;
}

const recordAnswer = (
  store: DurableStore,
  id: string,
  answering: RecordedAnswer,
): Operation<AnswerStatus> => {
  const { rowTexts, vault } = store;
  const { at, by, decision } = answering;
  const said = toShownDecision(rowTexts, decision);
  const who = by === undefined ? undefined : rowTexts.name(by);
  if (!said.isExact && vault.isLocked) throw editNeedsKeyError();
  const text = decision.kind === "edit" && !said.isExact ? JSON.stringify(decision.input) : undefined;
  const sealed = sealLazily(vault, text, `${id}/edit`);
  return {
    entryIds: [],
    discard: sealed.discard,
    *run(transaction) {
      yield* transaction.flush();
      const found = yield* lockApprovalRow(store, id);
      if (found?.lie !== undefined) {
        yield* annulMismatched(transaction, found, found.lie, at);
        return "already";
      }
      const { answered, next } = applyAnswer(
        found?.kept.record,
        { at, by: who, decision: said.decision },
        store.clock.toServerTime(at),
      );
      if (found === undefined || next === undefined) return answered;
      const { entryId, runId } = next;
      const input = answered === "answered" ? sealed.get() : undefined;
      yield updateApprovalQuery(next, found.kept.askedSeq);
      const body = answered === "expired" ? canonicalJson({ id }) : toAnswerBody(next, said.isExact);
      const seq = transaction.append({ at, kind: answered, entryId, runId, body });
      const entry = yield* transaction.entry(entryId);
      if (entry !== undefined) transaction.mention(entry, seq);
      if (input !== undefined) {
        transaction.keep([entryId, `edit:${id}`, runId, ...input]);
        if (entry !== undefined) transaction.change(entry, { payloads: true });
      }
      return answered;
    },
  };
};

const annulById = (store: DurableStore, id: string, why: string, at: number): Operation<void> => ({
  entryIds: [],
  *run(transaction) {
    yield* transaction.flush();
    const found = yield* lockApprovalRow(store, id);
    if (found === undefined)
      throw ledgerUnavailable(`The approval "${id}" cannot be annulled: it is unknown or no longer open.`);
    yield* annulApproval(transaction, found, store.rowTexts.text(why), at);
  },
});

const recordRefusedAnswer = (
  { rowTexts }: DurableStore,
  id: string,
  by: Principal | undefined,
  at: number,
): Operation<void> => ({
  entryIds: [],
  *run(transaction) {
    const [row] = yield { sql: "SELECT entry_id, run_id FROM haft_approvals WHERE id = ?", values: [id] };
    const body = canonicalJson({ id: rowTexts.name(id), by: toShownPrincipal(by) });
    const of = {
      entryId: (row?.entry_id ?? null) as string | null,
      runId: (row?.run_id ?? null) as string | null,
    };
    transaction.append({ at, kind: "refused", ...of, body });
  },
});

const editNeedsKeyError = () =>
  ledgerUnavailable(
    "The edited arguments contain a secret or are very long, so they must be encrypted, but this ledger has no key. Set " +
      "HAFT_LEDGER_KEY (32 bytes, as from: openssl rand -base64 32).",
  );
