import { hashJson, hashText } from "../../json/hash.ts";
import type { Closing, Intent, KeyClaim, LedgerEntry, Opening, Reservation } from "../../words/ledger.ts";
import type { RunSummary } from "../../words/run-book.ts";
import { isEnded } from "../is-ended.ts";
import { mayGoOn } from "../may-go-on.ts";
import { twice } from "../refusals.ts";
import { askedSteps } from "./approvals/write-approval.ts";
import type { Script } from "./database.ts";
import type { EntryState } from "./entry-state.ts";
import type { Page } from "./page.ts";
import { sealOnce } from "./payloads/seal-once.ts";
import { plainName } from "./scribe.ts";
import type { Store } from "./store.ts";
import type { Operation } from "./writer.ts";

export const opening = (store: Store, given: Opening): Operation<void> => {
  const { scribe, owner, runsHere } = store;
  const entryId = plainName(given.entryId);
  const runId = plainName(given.runId);
  const { body, exact } = scribe.opened(given);
  const sealed = sealOnce(store.vault, exact, `${entryId}/input`);
  const row = { at: given.at, kind: "opened", entryId, runId };
  const begin = (page: Page): void => {
    const kept = sealed.get();
    const openSeq = page.append({ ...row, body });
    if (kept !== undefined) page.keep([entryId, "input", runId, ...kept]);
    page.add({
      openSeq,
      entryId,
      callId: scribe.name(given.callId),
      runId,
      agent: given.agent === undefined ? null : plainName(given.agent),
      at: given.at,
      inRun: runsHere.has(runId),
      tool: scribe.name(given.tool),
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
    discard: sealed.discard,
    atOnce: (page) => {
      if (page.known(entryId) !== undefined) return false;
      begin(page);
      return true;
    },
    *run(page) {
      const before = page.known(entryId);
      if (before === undefined) return begin(page);
      if (before.ending !== "unknown") throw twice("opened", entryId);
      yield* reopen(store, page, before, page.append({ ...row, body: `{"again":true,"of":${body}}` }));
    },
  };
};

/** Goes on here, so that it reads `unknown` if this process dies over it. Recovery looks for it from its first row on. */
export function* reopen({ owner }: Store, page: Page, entry: EntryState, seq: number): Script<void> {
  page.change(entry, { ending: "open", owner, lastSeq: seq, closedAt: null });
  yield {
    sql: "UPDATE haft_owners SET low = ? WHERE owner = ? AND low > ?",
    values: [entry.openSeq, owner, entry.openSeq],
  };
}

export const starting = ({ scribe }: Store, intent: Intent): Operation<void> => {
  const body = scribe.started(intent);
  const { entryId, at, full } = intent;
  return {
    entryIds: [entryId],
    full,
    *run(page) {
      const entry = yield* page.entry(entryId);
      if (entry?.ending !== "open") throw twice("begun", entryId);
      const startSeq = page.append({ at, kind: "started", entryId, runId: entry.runId, body });
      page.change(entry, { startSeq });
    },
  };
};

export const closing = (store: Store, given: Closing): Operation<void> => {
  const { entryId, ending, approval } = given;
  const { body, exact } = store.scribe.closed(given);
  const sealed = sealOnce(store.vault, exact, `${entryId}/result`);
  const asked = approval === undefined ? undefined : askedSteps(store, approval);
  const at = store.now();
  const end = (page: Page, entry: EntryState): void => {
    const seq = page.append({ at, kind: "closed", entryId, runId: entry.runId, body });
    page.end(entry, ending, given.tool === undefined ? entry.tool : plainName(given.tool), seq, at);
  };
  return {
    entryIds: [entryId],
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
      // Nothing of it is sealed, and nobody was asked or holds a key.
      if (asked !== undefined || exact !== undefined || entry.keyed || entry.payloads) return false;
      end(page, entry);
      return true;
    },
    *run(page) {
      const entry = page.known(entryId);
      if (entry === undefined || isEnded(entry.ending)) throw twice("closed", entryId);
      const { runId } = entry;
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

/** Exact texts live as long as somebody may go on from them: a run, a question, or whoever uses the key again. */
function* keepsTexts(
  store: Store,
  entry: EntryState,
  ending: LedgerEntry["ending"],
  isKeyed: boolean,
): Script<boolean> {
  if (store.keepPayloads || isKeyed || !isEnded(ending) || ending === "unknown") return true;
  if (!entry.inRun) return false;
  if (store.runsHere.has(entry.runId)) return true;
  const [run] = yield {
    sql: "SELECT status, recorded FROM haft_runs WHERE run_id = ?",
    values: [entry.runId],
  };
  return run !== undefined && (run.recorded === 1 || mayGoOn(run.status as RunSummary["status"]));
}

function* forget(page: Page, entryId: string, kind: string): Script<void> {
  yield* page.flush();
  const rows = yield {
    sql: "DELETE FROM haft_payloads WHERE entry_id = ? AND kind = ? RETURNING file",
    values: [entryId, kind],
  };
  page.trash(rows);
}

function* giveKeyBack(page: Page, entry: EntryState): Script<void> {
  page.change(entry, { keyed: false });
  yield { sql: "DELETE FROM haft_keys WHERE entry_id = ?", values: [entry.entryId] };
}

const keyColumns = ["key_hash", "entry_id", "call_hash", "keyed_seq"];

/** As the query that proves the table of keys spells it too. */
const keyedBody = (keyHash: string, callHash: string): string => `{"call":"${callHash}","key":"${keyHash}"}`;

export const reserving = ({ tenant, user, agent, key, ...claim }: KeyClaim): Operation<Reservation> => {
  const { entryId, at } = claim;
  const keyHash = hashJson([tenant ?? null, user ?? null, agent, key]);
  const callHash = hashText(`${claim.tool}\n${claim.inputHash}`);
  return {
    entryIds: [entryId],
    *run(page) {
      const mine = page.known(entryId);
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
