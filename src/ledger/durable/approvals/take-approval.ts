import { canonicalJson } from "../../../base/json/canonical-json.ts";
import type { ApprovalRecord, TakeApprovalResult } from "../../../types/approval.ts";
import { applyTake } from "../../approval-transitions.ts";
import { isFinalEnding } from "../../is-final-ending.ts";
import { leaseLostError, ledgerUnavailable } from "../../ledger-errors.ts";
import type { Script } from "../database.ts";
import type { DurableStore } from "../durable-store.ts";
import type { Operation } from "../group-writer.ts";
import { toSealedText } from "../payloads/payload.ts";
import type { Transaction } from "../transaction.ts";
import { reopenStoredEntry } from "../write-entries.ts";
import { readApprovalHistories } from "./approval-history.ts";
import { type ChainApproval, updateApprovalQuery } from "./approval-row.ts";
import { annulApproval, annulMismatched, type FoundApproval, lockApprovalRow } from "./find-approval-row.ts";

export const takeStoredApproval = (
  store: DurableStore,
  id: string,
  at: number,
): Operation<TakeApprovalResult> => ({
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
