import type { EntryClosing, EntryOpening, LedgerEntry, StartIntent } from "../../types/ledger.ts";
import type { RunSummary } from "../../types/run-store.ts";
import { isResumable } from "../held-run-leases.ts";
import { entryStateError, leaseLostError } from "../ledger-errors.ts";
import { isFinalEnding } from "../settled-closing.ts";
import { createApprovalWrite } from "./approvals/write-approval.ts";
import type { Script } from "./database.ts";
import type { DurableStore } from "./durable-store.ts";
import { type EntryState, markUnknown } from "./entry-state.ts";
import type { Operation } from "./group-writer.ts";
import { releaseKeys } from "./keys/release-key.ts";
import { sealLazily } from "./payloads/vault.ts";
import { toStorableName } from "./row-texts.ts";
import { requireWritableRun } from "./runs/write-runs.ts";
import type { Transaction } from "./transaction.ts";

export const openEntry = (store: DurableStore, given: EntryOpening): Operation<void> => {
  const { rowTexts, owner, held } = store;
  const { epoch } = given;
  const entryId = toStorableName(given.entryId);
  const runId = toStorableName(given.runId);
  const { body, exact } = rowTexts.opened(given);
  // Masked together with the body, in case a secret becomes known in between.
  const session = given.session === undefined ? null : rowTexts.name(given.session);
  const sealed = sealLazily(store.vault, exact, `${entryId}/input`);
  const row = { at: given.at, kind: "opened", entryId, runId };
  const begin = (transaction: Transaction): void => {
    const kept = sealed.get();
    const openSeq = transaction.append({ ...row, body });
    const { month } = transaction.head;
    if (kept !== undefined) transaction.keep([entryId, "input", runId, ...kept]);
    transaction.add({
      openSeq,
      entryId,
      callId: rowTexts.name(given.callId),
      runId,
      agent: given.agent === undefined ? null : toStorableName(given.agent),
      session,
      at: given.at,
      month,
      inRun: epoch !== undefined || held.has(runId),
      tool: rowTexts.name(given.tool),
      ending: "open",
      owner,
      startSeq: null,
      closeSeq: null,
      lastSeq: openSeq,
      was: openSeq,
      closedAt: null,
      keyed: false,
      payloads: kept !== undefined,
      elsewhere: null,
    });
  };
  return {
    entryIds: [entryId],
    // Only reopened entries exist already, possibly in an earlier month.
    areNew: given.isAgain !== true,
    claims: epoch === undefined ? undefined : () => runId,
    discard: sealed.discard,
    atOnce: (transaction) => {
      if (epoch !== undefined) requireWritableRun(store, transaction, runId, epoch);
      if (transaction.known(entryId) !== undefined) return false;
      begin(transaction);
      return true;
    },
    *run(transaction) {
      if (epoch !== undefined) yield* transaction.claims.lock([runId]);
      if (epoch !== undefined) requireWritableRun(store, transaction, runId, epoch);
      const before = transaction.known(entryId);
      if (before === undefined) return begin(transaction);
      if (before.ending !== "unknown" && before.ending !== "hydrated")
        throw entryStateError("opened", entryId);
      const again = transaction.behind(before, `{"again":true,"of":${body}}`);
      reopenStoredEntry(store, transaction, before, transaction.append({ ...row, body: again }));
    },
  };
};

/** It becomes `unknown` if this process dies. */
export const reopenStoredEntry = (
  { owner }: DurableStore,
  transaction: Transaction,
  entry: EntryState,
  seq: number,
): void => transaction.change(entry, { ending: "open", owner, lastSeq: seq, closedAt: null });

/** Entries that are not loaded have no run to lock. */
export const leasedRunOf =
  (entryId: string, epoch: number | undefined): Operation<unknown>["claims"] =>
  (transaction) =>
    epoch === undefined ? undefined : transaction.known(entryId)?.runId;

export function* requireLease(
  store: DurableStore,
  transaction: Transaction,
  entry: EntryState,
  epoch: number | undefined,
): Script<void> {
  if (epoch === undefined) return;
  yield* transaction.claims.lock([entry.runId]);
  requireWritableRun(store, transaction, entry.runId, epoch);
}

export const startEntry = (store: DurableStore, intent: StartIntent): Operation<void> => {
  const body = store.rowTexts.started(intent);
  const { entryId, epoch, at, full } = intent;
  return {
    entryIds: [entryId],
    claims: leasedRunOf(entryId, epoch),
    full,
    *run(transaction) {
      const entry = yield* transaction.entry(entryId);
      if (entry !== undefined) yield* requireLease(store, transaction, entry, epoch);
      if (entry?.ending !== "open") throw entryStateError("begun", entryId);
      const startSeq = transaction.append({ at, kind: "started", entryId, runId: entry.runId, body });
      transaction.change(entry, { startSeq });
    },
  };
};

export const closeEntry = (store: DurableStore, given: EntryClosing): Operation<void> => {
  const { entryId, ending, approval, epoch } = given;
  const { body, exact } = store.rowTexts.closed(given);
  const sealed = sealLazily(store.vault, exact, `${entryId}/result`);
  const parts = given.parts === undefined ? undefined : JSON.stringify(given.parts);
  const sealedParts = sealLazily(store.vault, parts, `${entryId}/parts`);
  const asked = approval === undefined ? undefined : createApprovalWrite(store, approval);
  const at = store.now();
  const end = (transaction: Transaction, entry: EntryState): void => {
    const { runId } = entry;
    const seq = transaction.append({
      at,
      kind: "closed",
      entryId,
      runId,
      body: transaction.behind(entry, body),
    });
    transaction.end(
      entry,
      ending,
      given.tool === undefined ? entry.tool : toStorableName(given.tool),
      seq,
      at,
    );
  };
  return {
    entryIds: [entryId],
    claims: leasedRunOf(entryId, epoch),
    full: given.full,
    // A failed approval request is not retried: its caller has given up.
    isOutcome: isFinalEnding(ending),
    discard: () => {
      sealed.discard();
      sealedParts.discard();
      asked?.discard();
    },
    atOnce: (transaction) => {
      const entry = transaction.known(entryId);
      if (entry === undefined || isFinalEnding(entry.ending)) return false;
      if (epoch !== undefined && !transaction.claims.isNewest(entry.runId, epoch)) return false;
      // Excludes sealed texts, approvals and keys.
      const isSealed = exact !== undefined || parts !== undefined;
      if (asked !== undefined || isSealed || entry.keyed || entry.payloads) return false;
      end(transaction, entry);
      return true;
    },
    *run(transaction) {
      const entry = transaction.known(entryId);
      if (entry === undefined) throw entryStateError("closed", entryId);
      const { runId } = entry;
      if (epoch !== undefined) yield* transaction.claims.lock([runId]);
      if (epoch !== undefined && !transaction.claims.isNewest(runId, epoch)) {
        // The new holder of the run cannot know what the code did.
        if (!isFinalEnding(entry.ending) && isFromOlderLease(store, transaction, entry))
          markUnknown(transaction, entry, at);
        throw leaseLostError(runId);
      }
      if (isFinalEnding(entry.ending)) throw entryStateError("closed", entryId);
      const isFreed = entry.keyed && ending === "failed" && given.ran !== true;
      const isKept = yield* decideTextRetention(store, transaction, entry, {
        ending,
        isKeyed: entry.keyed && !isFreed,
      });
      const kept = isKept ? sealed.tryGet() : undefined;
      const keptParts = isKept ? sealedParts.tryGet() : undefined;
      if (asked !== undefined) yield* asked.run(transaction, entry);
      end(transaction, entry);
      if (isFreed) yield* releaseKeys(transaction, entry);
      if (kept !== undefined || keptParts !== undefined) {
        if (entry.payloads) yield* deletePayload(transaction, entryId, "result");
        if (kept !== undefined) transaction.keep([entryId, "result", runId, ...kept]);
        if (keptParts !== undefined) transaction.keep([entryId, "parts", runId, ...keptParts]);
        transaction.change(entry, { payloads: true });
      } else if (!isKept && entry.payloads) {
        transaction.dropPayloads(entryId);
        transaction.change(entry, { payloads: false });
      }
    },
  };
};

/** If it was reopened under a newer lease, that holder must close it. */
const isFromOlderLease = ({ owner }: DurableStore, transaction: Transaction, entry: EntryState): boolean => {
  const isOpenedAgain = entry.lastSeq !== entry.openSeq;
  return entry.owner === owner && !(isOpenedAgain && transaction.claims.get(entry.runId)?.owner === owner);
};

/** A resumable run, an approval or a key may need them. */
function* decideTextRetention(
  store: DurableStore,
  { claims }: Transaction,
  entry: EntryState,
  { ending, isKeyed }: { readonly ending: LedgerEntry["ending"]; readonly isKeyed: boolean },
): Script<boolean> {
  if (store.keepPayloads || isKeyed || !isFinalEnding(ending) || ending === "unknown") return true;
  if (!entry.inRun) return false;
  if (store.held.has(entry.runId)) return true;
  const [run] = claims.get(entry.runId)
    ? [claims.get(entry.runId)]
    : yield { sql: "SELECT status, recorded FROM haft_runs WHERE run_id = ?", values: [entry.runId] };
  return run !== undefined && (run.recorded === 1 || isResumable(run.status as RunSummary["status"]));
}

export function* deletePayload(transaction: Transaction, entryId: string, kind: string): Script<void> {
  yield* transaction.flush();
  const rows = yield {
    sql: "DELETE FROM haft_payloads WHERE entry_id = ? AND kind = ? RETURNING file",
    values: [entryId, kind],
  };
  transaction.trash(rows);
}
