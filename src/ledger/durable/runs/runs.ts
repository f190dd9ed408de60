import * as Effect from "effect/Effect";
import { canonicalJson } from "../../../json/canonical-json.ts";
import type { Message } from "../../../words/message.ts";
import type { RunBook, RunEnd, RunStart, RunStep } from "../../../words/run-book.ts";
import { mayGoOn } from "../../may-go-on.ts";
import { unavailable } from "../../refusals.ts";
import { asking } from "../asking.ts";
import type { Row, Script } from "../database.ts";
import type { Presence } from "../owners/watch.ts";
import type { Page } from "../page.ts";
import { type SealedOnce, sealOnce } from "../payloads/seal-once.ts";
import { plainName } from "../scribe.ts";
import type { Store } from "../store.ts";
import type { Operation } from "../writer.ts";
import { callOf, finding, findRun, insertMessages, listing, runColumns, sealedFor } from "./run-row.ts";

/** What the dead held is freed first, so that it can be claimed at once. */
export const runBook = (store: Store, { recover, dead }: Pick<Presence, "recover" | "dead">): RunBook => {
  const { database, writer, vault, runsHere } = store;
  const afterRecovery = <A>(ask: () => Promise<A>) => asking(() => recover("if due").then(ask));
  const isHere = (runId: string) => () => {
    runsHere.add(runId);
  };
  return {
    begin: (start) =>
      Effect.map(
        writer.write(() => beginning(store, start)),
        isHere(start.runId),
      ),
    add: (step) => writer.write(() => adding(store, step)),
    amend: (runId, messages, at) => writer.write(() => amending(store, runId, messages, at)),
    end: (end) =>
      Effect.map(
        writer.write(() => ending(store, end)),
        () => {
          runsHere.delete(end.runId);
        },
      ),
    find: (runId) => afterRecovery(() => database.read(() => finding(vault, runId, dead()))),
    list: (query = {}) => afterRecovery(() => database.read(() => listing(query, dead()))),
    claim: (runId, at) =>
      Effect.tap(
        Effect.andThen(
          asking(() => recover("now")),
          writer.write(() => claiming(store, runId, at)),
        ),
        (isMine) => Effect.sync(() => isMine && isHere(runId)()),
      ),
  };
};

const sealAll = ({ vault }: Store, runId: string, messages: readonly Message[]): readonly SealedOnce[] =>
  messages.map((message) => sealOnce(vault, JSON.stringify(message), sealedFor(runId)));

/** Before anything is written: a text that cannot be kept must not leave half of its step behind. */
const getAll = (sealed: readonly SealedOnce[]) => sealed.map((each) => each.get());

const discardAll = (sealed: readonly SealedOnce[]) => () => {
  for (const each of sealed) each.discard();
};

const beginning = (store: Store, start: RunStart): Operation<void> => {
  const { owner, scribe, keepPayloads } = store;
  const { messages, principal, at } = start;
  const runId = plainName(start.runId);
  const agent = plainName(start.agent);
  const sealed = sealAll(store, runId, messages);
  const who = principal === undefined ? undefined : scribe.known(principal);
  const nothing = JSON.stringify({ inputTokens: 0, outputTokens: 0 });
  return {
    entryIds: [],
    discard: discardAll(sealed),
    *run(page) {
      if ((yield findRun(runId)).length > 0) throw unavailable(`The run "${runId}" was begun before.`);
      const kept = getAll(sealed);
      const body = canonicalJson({ agent, status: "running", principal: who, given: messages.length });
      const seq = page.append({ at, kind: "run-began", entryId: null, runId, body });
      const count = messages.length;
      const row = [
        runId,
        agent,
        who === undefined ? null : JSON.stringify(who),
        "running",
        0,
        nothing,
        at,
        at,
        owner,
        count,
        count,
        seq,
        seq,
        Number(keepPayloads),
      ];
      yield { insert: "haft_runs", columns: runColumns, rows: [row] };
      yield* insertMessages(runId, 0, messages, kept);
    },
  };
};

/** A run that another process took over is none of this one's business any more. */
function* runHere({ owner }: Store, runId: string): Script<Row> {
  const [row] = yield findRun(runId);
  if (row === undefined) throw unavailable(`There is no run "${runId}".`);
  if (row.owner !== null && row.owner !== owner) {
    throw unavailable(`The run "${runId}" goes on in another process, which took it over.`);
  }
  return row;
}

const adding = (store: Store, step: RunStep): Operation<void> => {
  const { runId, messages, turns, usage, at } = step;
  const agent = plainName(step.agent);
  const sealed = sealAll(store, runId, messages);
  return {
    entryIds: [],
    discard: discardAll(sealed),
    *run(page) {
      const before = yield* runHere(store, runId);
      const count = Number(before.messages);
      const kept = getAll(sealed);
      yield {
        sql: "UPDATE haft_runs SET turns = ?, usage = ?, updated_at = ?, messages = ? WHERE run_id = ?",
        values: [turns, JSON.stringify(usage), at, count + messages.length, runId],
      };
      if (before.agent !== agent) {
        const { status, reason } = before as { readonly status: string; readonly reason: string | null };
        yield* turnTo(page, "run-handed", { runId, agent, status, reason: reason ?? undefined }, at);
      }
      yield* insertMessages(runId, count, messages, kept);
    },
  };
};

const amending = (store: Store, runId: string, messages: readonly Message[], at: number): Operation<void> => {
  const sealed = sealAll(store, runId, messages);
  return {
    entryIds: [],
    discard: discardAll(sealed),
    *run(page) {
      yield* runHere(store, runId);
      const kept = getAll(sealed);
      const places: Row[] = [];
      // Without a key no message was kept, so there is none to replace.
      if (!store.vault.isLocked) for (const each of messages) places.push(yield* placeOf(runId, each));
      page.trash(places);
      for (const [i, { number }] of places.entries()) {
        const [, isPending] = callOf(messages[i]!);
        yield {
          sql: "UPDATE haft_run_messages SET pending = ?, sealed = ?, file = ? WHERE run_id = ? AND number = ?",
          values: [Number(isPending), ...kept[i]!, runId, Number(number)],
        };
      }
      yield { sql: "UPDATE haft_runs SET updated_at = ? WHERE run_id = ?", values: [at, runId] };
    },
  };
};

/** The newest message about the same call, one that is pending first. */
function* placeOf(runId: string, message: Message): Script<Row> {
  const [callId] = callOf(message);
  const [place] = yield {
    sql: `SELECT number, file FROM haft_run_messages WHERE run_id = ? AND call_id = ?
          ORDER BY pending DESC, number DESC LIMIT 1`,
    values: [runId, callId],
  };
  if (place !== undefined) return place;
  throw unavailable(`The run "${runId}" has no message about the call "${callId}" that could be replaced.`);
}

const ending = (store: Store, { runId, status, reason, at }: RunEnd): Operation<void> => {
  const { scribe, keepPayloads } = store;
  const why = reason === undefined ? undefined : scribe.text(reason);
  return {
    entryIds: [],
    *run(page) {
      // Whether its texts are kept was said when it began, whoever goes on with it.
      const { recorded, agent } = yield* runHere(store, runId);
      yield* turnTo(page, "run-ended", { runId, agent: String(agent), status, reason: why }, at);
      yield { sql: "UPDATE haft_runs SET owner = NULL WHERE run_id = ?", values: [runId] };
      if (!mayGoOn(status) && recorded !== 1 && !keepPayloads) yield* dropTexts(page, runId);
    },
  };
};

/** Nobody goes on from here. What somebody's own key stands for stays: the same call may be asked for again. */
function* dropTexts(page: Page, runId: string): Script<void> {
  yield* page.flush();
  const payloads = yield {
    sql: `DELETE FROM haft_payloads WHERE run_id = ?
          AND entry_id NOT IN (SELECT entry_id FROM haft_keys)
          AND entry_id NOT IN (SELECT entry_id FROM haft_entries WHERE run_id = ? AND ending = 'pending')
          RETURNING file`,
    values: [runId, runId],
  };
  const messages = yield {
    sql: "DELETE FROM haft_run_messages WHERE run_id = ? RETURNING file",
    values: [runId],
  };
  page.trash([...payloads, ...messages]);
}

const claiming = ({ owner }: Store, runId: string, at: number): Operation<boolean> => ({
  entryIds: [],
  *run(page) {
    const [run] = yield {
      sql: "UPDATE haft_runs SET owner = ? WHERE run_id = ? AND owner IS NULL RETURNING agent",
      values: [owner, runId],
    };
    if (run === undefined) return false;
    yield* turnTo(page, "run-resumed", { runId, agent: String(run.agent), status: "running" }, at);
    return true;
  },
});

interface Turn {
  readonly runId: string;
  readonly agent: string;
  readonly status: string;
  readonly reason?: string | undefined;
}

/** How a run stands is in its table and in the chain, and the table knows which row says so. */
function* turnTo(page: Page, kind: string, { runId, ...turn }: Turn, at: number): Script<void> {
  const { agent, status, reason = null } = turn;
  const seq = page.append({ at, kind, entryId: null, runId, body: canonicalJson(turn) });
  yield {
    sql: "UPDATE haft_runs SET agent = ?, status = ?, reason = ?, updated_at = ?, last_seq = ? WHERE run_id = ?",
    values: [agent, status, reason, at, seq, runId],
  };
}
