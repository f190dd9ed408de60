import { hashJson, hashText } from "../../json/hash.ts";
import type { Closing, Intent, KeyClaim, LedgerEntry, Opening, Reservation } from "../../words/ledger.ts";
import type { RunSummary } from "../../words/run-book.ts";
import { isEnded } from "../is-ended.ts";
import { mayGoOn } from "../may-go-on.ts";
import { claimLost, twice } from "../refusals.ts";
import { askedSteps } from "./approvals/write-approval.ts";
import type { Script } from "./database.ts";
import type { EntryState } from "./entry-state.ts";
import { markUnknown } from "./mark-unknown.ts";
import { sealOnce } from "./payloads/seal-once.ts";
import { plainName } from "./row-texts.ts";
import type { Store } from "./store.ts";
import type { Transaction } from "./transaction.ts";
import type { Operation } from "./writer.ts";

export const opening = (store: Store, given: Opening): Operation<void> => {
  const { rowTexts, owner, held } = store;
  const { epoch } = given;
  const entryId = plainName(given.entryId);
  const runId = plainName(given.runId);
  const { body, exact } = rowTexts.opened(given);
  const sealed = sealOnce(store.vault, exact, `${entryId}/input`);
  const row = { at: given.at, kind: "opened", entryId, runId };
  const begin = (page: Transaction): void => {
    const kept = sealed.get();
    const openSeq = page.append({ ...row, body });
    if (kept !== undefined) page.keep([entryId, "input", runId, ...kept]);
    page.add({
      openSeq,
      entryId,
      callId: rowTexts.name(given.callId),
      runId,
      agent: given.agent === undefined ? null : plainName(given.agent),
      at: given.at,
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
    });
  };
  return {
    entryIds: [entryId],
    areNew: true,
    claims: epoch === undefined ? undefined : () => runId,
    discard: sealed.discard,
    atOnce: (page) => {
      if (epoch !== undefined) page.claims.held(runId, epoch, owner);
      if (page.known(entryId) !== undefined) return false;
      begin(page);
      return true;
    },
    *run(page) {
      if (epoch !== undefined) yield* page.claims.lock([runId]);
      if (epoch !== undefined) page.claims.held(runId, epoch, owner);
      const before = page.known(entryId);
      if (before === undefined) return begin(page);
      if (before.ending !== "unknown" && before.ending !== "hydrated") throw twice("opened", entryId);
      reopen(store, page, before, page.append({ ...row, body: `{"again":true,"of":${body}}` }));
    },
  };
};

/** Goes on here, so that it reads `unknown` if this process dies over it. */
export const reopen = ({ owner }: Store, page: Transaction, entry: EntryState, seq: number): void =>
  page.change(entry, { ending: "open", owner, lastSeq: seq, closedAt: null });

/** Most entries that are written for a claim are known by then; one that is not has no run to lock. */
const runOf =
  (entryId: string, epoch: number | undefined): Operation<unknown>["claims"] =>
  (page) =>
    epoch === undefined ? undefined : page.known(entryId)?.runId;

/** Refuses to begin anything under a claim that is not the newest. */
function* claimed(
  { owner }: Store,
  page: Transaction,
  entry: EntryState,
  epoch: number | undefined,
): Script<void> {
  if (epoch === undefined) return;
  yield* page.claims.lock([entry.runId]);
  page.claims.held(entry.runId, epoch, owner);
}

export const starting = (store: Store, intent: Intent): Operation<void> => {
  const body = store.rowTexts.started(intent);
  const { entryId, epoch, at, full } = intent;
  return {
    entryIds: [entryId],
    claims: runOf(entryId, epoch),
    full,
    *run(page) {
      const entry = yield* page.entry(entryId);
      if (entry !== undefined) yield* claimed(store, page, entry, epoch);
      if (entry?.ending !== "open") throw twice("begun", entryId);
      const startSeq = page.append({ at, kind: "started", entryId, runId: entry.runId, body });
      page.change(entry, { startSeq });
    },
  };
};

export const closing = (store: Store, given: Closing): Operation<void> => {
  const { entryId, ending, approval, epoch } = given;
  const { body, exact } = store.rowTexts.closed(given);
  const sealed = sealOnce(store.vault, exact, `${entryId}/result`);
  const asked = approval === undefined ? undefined : askedSteps(store, approval);
  const at = store.now();
  const end = (page: Transaction, entry: EntryState): void => {
    const seq = page.append({ at, kind: "closed", entryId, runId: entry.runId, body });
    page.end(entry, ending, given.tool === undefined ? entry.tool : plainName(given.tool), seq, at);
  };
  return {
    entryIds: [entryId],
    claims: runOf(entryId, epoch),
    full: given.full,
    // A question that could not be written is not asked a second later, when its caller has given up.
    isOutcome: isEnded(ending),
    discard: () => {
      sealed.discard();
      asked?.discard();
    },
    atOnce: (page) => {
      const entry = page.known(entryId);
      if (entry === undefined || isEnded(entry.ending)) return false;
      if (epoch !== undefined && !page.claims.isNewest(entry.runId, epoch)) return false;
      // Nothing of it is sealed, and nobody was asked or holds a key.
      if (asked !== undefined || exact !== undefined || entry.keyed || entry.payloads) return false;
      end(page, entry);
      return true;
    },
    *run(page) {
      const entry = page.known(entryId);
      if (entry === undefined) throw twice("closed", entryId);
      const { runId } = entry;
      if (epoch !== undefined) yield* page.claims.lock([runId]);
      if (epoch !== undefined && !page.claims.isNewest(runId, epoch)) {
        // What its code did is not known to whoever has the run now.
        if (!isEnded(entry.ending) && isOfOlderClaim(store, page, entry)) markUnknown(page, entry, at);
        throw claimLost(runId);
      }
      if (isEnded(entry.ending)) throw twice("closed", entryId);
      const isFreed = entry.keyed && ending === "failed" && given.ran !== true;
      const isKept = yield* keepsTexts(store, entry, ending, entry.keyed && !isFreed);
      const kept = isKept ? sealed.tryGet() : undefined;
      if (asked !== undefined) yield* asked.run(page, entry);
      end(page, entry);
      if (isFreed) yield* giveKeyBack(page, entry);
      if (kept !== undefined) {
        if (entry.payloads) yield* forget(page, entryId, "result");
        page.keep([entryId, "result", runId, ...kept]);
        page.change(entry, { payloads: true });
      } else if (!isKept && entry.payloads) {
        page.dropPayloads(entryId);
        page.change(entry, { payloads: false });
      }
    },
  };
};

/**
 * Whether an entry is still open under a claim that this store has lost. Whoever took the run over may have opened it
 * again, this store itself by a newer claim included: then it is theirs to close.
 */
const isOfOlderClaim = ({ owner }: Store, page: Transaction, entry: EntryState): boolean => {
  const isOpenedAgain = entry.lastSeq !== entry.openSeq;
  return entry.owner === owner && !(isOpenedAgain && page.claims.get(entry.runId)?.owner === owner);
};

/** Exact texts live as long as somebody may go on from them: a run, a question, or whoever uses the key again. */
function* keepsTexts(
  store: Store,
  entry: EntryState,
  ending: LedgerEntry["ending"],
  isKeyed: boolean,
): Script<boolean> {
  if (store.keepPayloads || isKeyed || !isEnded(ending) || ending === "unknown") return true;
  if (!entry.inRun) return false;
  if (store.held.has(entry.runId)) return true;
  const [run] = yield {
    sql: "SELECT status, recorded FROM haft_runs WHERE run_id = ?",
    values: [entry.runId],
  };
  return run !== undefined && (run.recorded === 1 || mayGoOn(run.status as RunSummary["status"]));
}

function* forget(page: Transaction, entryId: string, kind: string): Script<void> {
  yield* page.flush();
  const rows = yield {
    sql: "DELETE FROM haft_payloads WHERE entry_id = ? AND kind = ? RETURNING file",
    values: [entryId, kind],
  };
  page.trash(rows);
}

function* giveKeyBack(page: Transaction, entry: EntryState): Script<void> {
  page.change(entry, { keyed: false });
  yield { sql: "DELETE FROM haft_keys WHERE entry_id = ?", values: [entry.entryId] };
}

const keyColumns = ["key_hash", "entry_id", "call_hash", "keyed_seq"];

/** As the query that proves the table of keys spells it too. */
const keyedBody = (keyHash: string, callHash: string): string => `{"call":"${callHash}","key":"${keyHash}"}`;

export const reserving = (
  store: Store,
  { tenant, user, agent, key, ...claim }: KeyClaim,
): Operation<Reservation> => {
  const { entryId, epoch, at } = claim;
  const keyHash = hashJson([tenant ?? null, user ?? null, agent, key]);
  const callHash = hashText(`${claim.tool}\n${claim.inputHash}`);
  return {
    entryIds: [entryId],
    claims: runOf(entryId, epoch),
    *run(page) {
      const mine = page.known(entryId);
      if (mine !== undefined) yield* claimed(store, page, mine, epoch);
      if (mine?.ending !== "open") throw twice("begun", entryId);
      const [taken] = yield {
        sql: "SELECT entry_id, call_hash FROM haft_keys WHERE key_hash = ?",
        values: [keyHash],
      };
      if (taken !== undefined) {
        if (taken.call_hash !== callHash) return { kind: "other" };
        const holder = yield* page.entry(String(taken.entry_id));
        if (holder === mine) return { kind: "fresh" };
        if (holder !== undefined) {
          return { kind: "known", entryId: holder.entryId, ending: holder.ending };
        }
        yield { sql: "DELETE FROM haft_keys WHERE key_hash = ?", values: [keyHash] };
      }
      const body = keyedBody(keyHash, callHash);
      const seq = page.append({ at, kind: "keyed", entryId, runId: mine.runId, body });
      yield { insert: "haft_keys", columns: keyColumns, rows: [[keyHash, entryId, callHash, seq]] };
      page.change(mine, { keyed: true });
      return { kind: "fresh" };
    },
  };
};
