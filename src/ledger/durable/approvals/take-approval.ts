import { canonicalJson } from "../../../json/canonical-json.ts";
import type { ApprovalRecord, Taken } from "../../../words/approval.ts";
import { afterTake } from "../../approval-steps.ts";
import { isEnded } from "../../is-ended.ts";
import { claimLost, unavailable } from "../../refusals.ts";
import type { Script } from "../database.ts";
import { toSealed } from "../payloads/payload.ts";
import type { Store } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { reopen } from "../write-entries.ts";
import type { Operation } from "../writer.ts";
import { histories } from "./approval-history.ts";
import { changeApproval, type KeptApproval } from "./approval-row.ts";
import { annul, annulLie, type FoundApproval, lookUpToChange } from "./look-up.ts";

/**
 * From `answered` to `used`, as the chain says it and not as the table does. Its entry is open again from here on,
 * and this store's own.
 */
export const taking = (store: Store, id: string, at: number): Operation<Taken> => ({
  entryIds: [],
  *run(transaction) {
    yield* transaction.flush();
    const found = yield* lookUpToChange(store, id);
    if (found === undefined) return { kind: "unknown" };
    if (found.lie !== undefined) {
      yield* annulLie(transaction, found, found.lie, at);
      return { kind: "void" };
    }
    const { kept } = found;
    if (!kept.isAnswerProved && kept.record.status === "answered") {
      yield* annul(transaction, found, "its answer has no MAC, so nothing proves that anybody gave it", at);
      return { kind: "void" };
    }
    const { kind, next } = afterTake(kept.record, store.clock.toServerTime(at));
    if (next === undefined) return { kind } as Taken;
    if (kind !== "taken") {
      yield* step(transaction, next, kept.askedSeq, "expired", at);
      return { kind } as Taken;
    }
    yield* refuseOthers(store, transaction, next.runId);
    const entry = yield* transaction.entry(next.entryId);
    // Its call came to an end without it: whoever went on now would make it a second time.
    if (entry === undefined || isEnded(entry.ending) || entry.ending === "open") {
      yield* annul(transaction, found, "its call came to an end without it", at);
      return { kind: "void" };
    }
    const record = yield* withExactTexts(store, { ...kept, record: next });
    const seq = yield* step(transaction, next, kept.askedSeq, "used", at);
    reopen(store, transaction, entry, seq);
    yield* annulOthers(store, transaction, found, at);
    return { kind: "taken", record };
  },
});

/** The calls of a run that somebody goes on with are made by that one alone. */
function* refuseOthers({ owner }: Store, transaction: Transaction, runId: string): Script<void> {
  yield* transaction.claims.lock([runId]);
  const holder = transaction.claims.get(runId)?.owner ?? null;
  if (holder !== null && holder !== owner) throw claimLost(runId);
}

/** Other questions about the same call: nobody goes on with it a second time. */
function* annulOthers(
  store: Store,
  transaction: Transaction,
  { row }: FoundApproval,
  at: number,
): Script<void> {
  const others = yield {
    sql: "SELECT * FROM haft_approvals WHERE entry_id = ? AND id <> ?",
    values: [String(row.entry_id), String(row.id)],
  };
  if (others.length === 0) return;
  const all = yield* histories(store, [String(row.entry_id)]);
  for (const other of others) {
    const kept = all.get(String(other.id));
    const status = kept?.record.status;
    if (status !== "waiting" && status !== "answered") continue;
    yield* annul(transaction, { row: other, kept, lie: "" }, "its call went on with another approval", at);
  }
}

function* step(
  transaction: Transaction,
  record: ApprovalRecord,
  askedSeq: number,
  kind: string,
  at: number,
): Script<number> {
  const { id, entryId, runId } = record;
  yield changeApproval(record, askedSeq);
  const body = canonicalJson({ id });
  const entry = yield* transaction.entry(entryId);
  if (entry === undefined) return transaction.append({ at, kind, entryId, runId, body });
  const seq = transaction.append({ at, kind, entryId, runId, body: transaction.behind(entry, body) });
  if (kind !== "used") transaction.mention(entry, seq);
  return seq;
}

/** What was asked and what was put in its place, as they were; only whoever goes on with the call gets to see them. */
function* withExactTexts(
  store: Store,
  { record, isExact, isEditExact }: KeptApproval,
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
    return JSON.parse(store.vault.unseal(toSealed(row.sealed, row.file), `${id}/${kind}`));
  };
  const input = isExact ? record.input : (textOf("approval") ?? record.input);
  if (decision?.kind !== "edit" || isEditExact) return { ...record, input };
  const edited = textOf("edit");
  if (edited === undefined) {
    throw unavailable(`The arguments that were put in place of those of "${id}" are no longer kept.`);
  }
  return { ...record, input, decision: { kind: "edit", input: edited } };
}
