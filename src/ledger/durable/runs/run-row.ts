import { hashText } from "../../../base/json/canonical-json.ts";
import { LedgerError } from "../../../types/errors.ts";
import type { Message } from "../../../types/message.ts";
import type { RunQuery, RunSummary } from "../../../types/run-store.ts";
import { toLedgerError } from "../../ledger-errors.ts";
import { withPreviousHash } from "../chain/chain-keys.ts";
import { parseRowBody } from "../chain/signed-row.ts";
import type { Query, Row, Script, SqlValue } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";
import { type SealedText, toSealedText, type Vault } from "../payloads/vault.ts";

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

export const digestMessages = (texts: readonly string[], before = ""): string =>
  texts.reduce((digest, text) => hashText(`${digest}\n${hashText(text)}`), before);

export const messageSealContext = (runId: string): string => `${runId}/message`;

/** Empty if there was no key to seal them. */
export function* readMessageTexts(vault: Vault, runId: string): Script<readonly string[]> {
  const rows = yield {
    sql: "SELECT sealed, file FROM haft_run_messages WHERE run_id = ? ORDER BY number",
    values: [runId],
  };
  return rows.map(({ sealed, file }) => vault.unseal(toSealedText(sealed, file), messageSealContext(runId)));
}

export function* readMessageTextsOfRuns(
  vault: Vault,
  { amongTexts }: SqlDialect,
  runs: readonly Row[],
): Script<ReadonlyMap<string, readonly string[] | LedgerError>> {
  const texts = new Map<string, string[] | LedgerError>();
  if (runs.length === 0) return texts;
  const rows = yield {
    sql: `SELECT run_id, sealed, file FROM haft_run_messages WHERE run_id ${amongTexts} ORDER BY run_id, number`,
    values: [runIdsJson(runs)],
  };
  for (const { run_id, sealed, file } of rows) {
    const runId = String(run_id);
    const before = texts.get(runId) ?? [];
    if (before instanceof LedgerError) continue;
    texts.set(runId, before);
    try {
      before.push(vault.unseal(toSealedText(sealed, file), messageSealContext(runId)));
    } catch (error) {
      texts.set(runId, toLedgerError(error));
    }
  }
  return texts;
}

const runIdsJson = (runs: readonly Row[]): string => JSON.stringify(runs.map(({ run_id }) => run_id));

/** Runs of 0.1.0 have no steps. */
export interface ChainRun {
  readonly began: Row | undefined;
  readonly step: Row | undefined;
}

/** Claims continue in different chains, so the step with the newest epoch counts. */
export function* readChainRuns(
  { among, amongTexts, amongNumbers }: SqlDialect,
  runs: readonly Row[],
): Script<ReadonlyMap<string, ChainRun>> {
  if (runs.length === 0) return new Map();
  const rows = yield {
    sql: withPreviousHash(
      // A UNION: a single OR condition would scan every row.
      `SELECT * FROM haft_records WHERE seq ${amongNumbers} UNION ALL
       SELECT * FROM haft_records WHERE seq ${among(`SELECT MAX(seq) FROM haft_records
         WHERE run_id ${amongTexts} AND kind = 'run-step' GROUP BY run_id, chain`)}`,
    ),
    values: [JSON.stringify(runs.map(({ began_seq }) => began_seq)), runIdsJson(runs)],
  };
  const steps = Map.groupBy(
    rows.filter(({ kind }) => kind === "run-step"),
    ({ run_id }) => run_id,
  );
  return new Map(
    runs.map(({ run_id, began_seq }) => [
      String(run_id),
      {
        began: rows.find(({ seq }) => seq === began_seq),
        step: newestStep(steps.get(run_id ?? null) ?? []),
      },
    ]),
  );
}

/** Rows without an epoch are older than all with one. */
export const newestStep = (steps: readonly Row[]): Row | undefined =>
  steps.toSorted((one, other) => epochOf(other) - epochOf(one) || Number(other.seq) - Number(one.seq))[0];

const epochOf = ({ body }: Row): number => Number(parseRowBody(body).epoch ?? 0);
