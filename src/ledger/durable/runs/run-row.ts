import type { Message } from "../../../words/message.ts";
import type { RunQuery, RunRecord, RunSummary } from "../../../words/run-book.ts";
import type { Query, Row, Script, SqlValue } from "../database.ts";
import { type Sealed, toSealed } from "../payloads/payload.ts";
import type { Vault } from "../payloads/vault.ts";

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
  vault: Vault,
  runId: string,
  dead: readonly string[],
): Script<RunRecord | undefined> {
  const [row] = yield findRun(runId);
  if (row === undefined) return undefined;
  const messages = yield {
    sql: "SELECT sealed, file FROM haft_run_messages WHERE run_id = ? ORDER BY number",
    values: [runId],
  };
  return {
    ...toSummary(row, dead),
    given: Number(row.given),
    messages: messages.map(({ sealed, file }) =>
      JSON.parse(vault.unseal(toSealed(sealed, file), sealedFor(runId))),
    ),
  };
}

export function* listing(
  { status, limit }: RunQuery,
  dead: readonly string[],
): Script<readonly RunSummary[]> {
  const rows = yield {
    sql: `SELECT * FROM haft_runs ${status === undefined ? "" : "WHERE status = ?"}
          ORDER BY began_seq DESC ${limit === undefined ? "" : "LIMIT ?"}`,
    values: [status, limit].filter((value) => value !== undefined),
  };
  return rows.map((row) => toSummary(row, dead));
}

export const sealedFor = (runId: string): string => `${runId}/message`;

const messageColumns = ["run_id", "number", "call_id", "pending", "sealed", "file"];

/** The call that a message answers, and whether the answer is still to come. */
export const callOf = (message: Message): readonly [callId: string | null, isPending: boolean] =>
  message.role === "tool" ? [message.callId, message.pending !== undefined] : [null, false];

/** Without a key no message is kept: a conversation is full of exact texts. */
export function* insertMessages(
  runId: string,
  from: number,
  messages: readonly Message[],
  sealed: readonly (Sealed | undefined)[],
): Script<void> {
  const rows = messages.flatMap((message, i): readonly SqlValue[][] => {
    const kept = sealed[i];
    const [callId, isPending] = callOf(message);
    return kept === undefined ? [] : [[runId, from + i, callId, Number(isPending), ...kept]];
  });
  if (rows.length > 0) yield { insert: "haft_run_messages", columns: messageColumns, rows };
}
