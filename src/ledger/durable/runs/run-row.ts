import type { Message } from "../../../types/message.ts";
import type { RunQuery, RunSummary } from "../../../types/run-store.ts";
import type { Query, Row, Script, SqlValue } from "../database.ts";
import type { SealedText } from "../payloads/payload.ts";

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

export const findRunQuery = (runId: string): Query => ({
  sql: "SELECT * FROM haft_runs WHERE run_id = ?",
  values: [runId],
});

/** `dead`: dead owners that are not yet removed. */
export const toSummary = (row: Row, dead: readonly string[]): RunSummary => ({
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

const statusCondition = "status = ?";
const agentCondition = "agent = ?";
const beforeCondition =
  "(started_at, began_seq) < (SELECT started_at, began_seq FROM haft_runs WHERE run_id = ?)";

export function* listStoredRuns(
  { status, agent, before, limit }: RunQuery,
  dead: readonly string[],
): Script<readonly RunSummary[]> {
  const asked = Object.entries({
    [statusCondition]: status,
    [agentCondition]: agent,
    [beforeCondition]: before,
  }).filter(([, value]) => value !== undefined);
  const where = asked.length === 0 ? "" : `WHERE ${asked.map(([sql]) => sql).join(" AND ")}`;
  const values = asked.map(([, value]) => value as SqlValue);
  const rows = yield {
    sql: `SELECT * FROM haft_runs ${where}
          ORDER BY started_at DESC, began_seq DESC ${limit === undefined ? "" : "LIMIT ?"}`,
    values: limit === undefined ? values : [...values, limit],
  };
  return rows.map((row) => toSummary(row, dead));
}

export const messageColumns = ["run_id", "number", "call_id", "pending", "sealed", "file"];

export const answeredCallOf = (message: Message): readonly [callId: string | null, isPending: boolean] =>
  message.role === "tool" ? [message.callId, message.pending !== undefined] : [null, false];

/** Messages are only stored sealed. */
export const toMessageRows = (
  runId: string,
  from: number,
  messages: readonly Message[],
  sealed: readonly (SealedText | undefined)[],
): readonly SqlValue[][] =>
  messages.flatMap((message, i): readonly SqlValue[][] => {
    const kept = sealed[i];
    const [callId, isPending] = answeredCallOf(message);
    return kept === undefined ? [] : [[runId, from + i, callId, Number(isPending), ...kept]];
  });
