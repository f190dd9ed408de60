import { canonicalJson } from "../../../json/canonical-json.ts";
import type { Message } from "../../../words/message.ts";
import type { RunQuery, RunRecord, RunSummary } from "../../../words/run-book.ts";
import { mayGoOn } from "../../may-go-on.ts";
import { unavailable } from "../../refusals.ts";
import { isBelieved, withPrevious } from "../chain/believed.ts";
import type { ChainKeys } from "../chain/chain-keys.ts";
import { readBody } from "../chain/link.ts";
import type { Query, Row, Script, SqlValue } from "../database.ts";
import type { Sealed } from "../payloads/payload.ts";
import type { Store } from "../store.ts";
import { digestOf, latestStep, readTexts } from "./conversation-digest.ts";

export const runColumns = [
  "run_id",
  "agent",
  "principal",
  "status",
  "turns",
  "usage",
  "started_at",
  "updated_at",
  "owner",
  "epoch",
  "given",
  "messages",
  "began_seq",
  "last_seq",
  "recorded",
  "digest",
];

export const findRun = (runId: string): Query => ({
  sql: "SELECT * FROM haft_runs WHERE run_id = ?",
  values: [runId],
});

/** `dead`: owners that are gone, of whom nobody has written it down yet. */
const toSummary = (row: Row, dead: readonly string[]): RunSummary => ({
  runId: String(row.run_id),
  agent: String(row.agent),
  principal: row.principal === null ? undefined : JSON.parse(String(row.principal)),
  status: row.status as RunSummary["status"],
  ...(typeof row.reason === "string" ? { reason: row.reason } : {}),
  isHeld: row.owner !== null && !dead.includes(String(row.owner)),
  turns: Number(row.turns),
  usage: JSON.parse(String(row.usage)),
  startedAt: Number(row.started_at),
  updatedAt: Number(row.updated_at),
});

export function* finding(
  { vault, chainKeys }: Pick<Store, "vault" | "chainKeys">,
  runId: string,
  dead: readonly string[],
): Script<RunRecord | undefined> {
  const [row] = yield findRun(runId);
  if (row === undefined) return undefined;
  const [began] = yield {
    sql: withPrevious("SELECT * FROM haft_records WHERE seq = ?"),
    values: [Number(row.began_seq)],
  };
  // Whoever goes on with it would go on in the name of whoever stands there.
  if (mayGoOn(row.status as RunSummary["status"]) && !(yield* isAsBegun(chainKeys, row, began))) {
    throw unavailable(
      `The run "${runId}" is not as the chain says that it began, so nobody goes on with it. haft log --verify says more.`,
    );
  }
  const texts = yield* readTexts(vault, runId);
  const step = (yield* latestStep(runId)) ?? began;
  if (texts.length > 0 && !(yield* isAsRecorded(chainKeys, texts, step))) {
    throw unavailable(
      `The conversation of the run "${runId}" is not the one that the chain tells of, so nobody goes on with it. haft log --verify says more.`,
    );
  }
  return {
    ...toSummary(row, dead),
    given: Number(row.given),
    ...originOf(row, began),
    messages: texts.map((text) => JSON.parse(text)),
  };
}

/** What the first row of a run says that its table does not. */
const originOf = (run: Row, began: Row | undefined): Pick<RunRecord, "firstAgent" | "queued"> => {
  const { agent = run.agent, queued } = began === undefined ? {} : readBody(began.body);
  return {
    firstAgent: String(agent),
    ...(queued === undefined ? {} : { queued: queued as NonNullable<RunRecord["queued"]> }),
  };
};

/** Whether a run's principal is the one that its first row names, and that row is to be believed. */
function* isAsBegun(keys: ChainKeys, run: Row, began: Row | undefined): Script<boolean> {
  if (began === undefined || began.kind !== "run-began" || began.run_id !== run.run_id) return false;
  if (!(yield* isBelieved(keys, began))) return false;
  const named = readBody(began.body).principal ?? null;
  const stands = run.principal === null ? null : readBody(run.principal);
  return canonicalJson(stands) === canonicalJson(named);
}

/** Whether a conversation is whole, in its order, and as it was written. Rows of 0.1.0 say nothing of it. */
function* isAsRecorded(keys: ChainKeys, texts: readonly string[], step: Row | undefined): Script<boolean> {
  if (step === undefined || !(yield* isBelieved(keys, step))) return false;
  const { digest } = readBody(step.body);
  return digest === undefined || digest === digestOf(texts);
}

export function* listing(
  { status, limit }: RunQuery,
  dead: readonly string[],
): Script<readonly RunSummary[]> {
  const rows = yield {
    sql: `SELECT * FROM haft_runs ${status === undefined ? "" : "WHERE status = ?"}
          ORDER BY started_at DESC, began_seq DESC ${limit === undefined ? "" : "LIMIT ?"}`,
    values: [status, limit].filter((value) => value !== undefined),
  };
  return rows.map((row) => toSummary(row, dead));
}

export const messageColumns = ["run_id", "number", "call_id", "pending", "sealed", "file"];

/** The call that a message answers, and whether the answer is still to come. */
export const callOf = (message: Message): readonly [callId: string | null, isPending: boolean] =>
  message.role === "tool" ? [message.callId, message.pending !== undefined] : [null, false];

/** Without a key no message is kept: a conversation is full of exact texts. */
export const messageRows = (
  runId: string,
  from: number,
  messages: readonly Message[],
  sealed: readonly (Sealed | undefined)[],
): readonly SqlValue[][] =>
  messages.flatMap((message, i): readonly SqlValue[][] => {
    const kept = sealed[i];
    const [callId, isPending] = callOf(message);
    return kept === undefined ? [] : [[runId, from + i, callId, Number(isPending), ...kept]];
  });
