import { canonicalJson } from "../../../base/json/canonical-json.ts";
import { LedgerError } from "../../../types/errors.ts";
import type { RunRecord, RunSummary } from "../../../types/run-store.ts";
import { isResumable } from "../../is-resumable.ts";
import { ledgerUnavailable, toLedgerError } from "../../ledger-errors.ts";
import type { ChainKeys } from "../chain/chain-keys.ts";
import { isTrustedRow } from "../chain/is-trusted-row.ts";
import { parseRowBody } from "../chain/signed-row.ts";
import type { Row, Script } from "../database.ts";
import type { DurableStore } from "../durable-store.ts";
import {
  type ChainRun,
  digestMessages,
  readChainRuns,
  readMessageTextsOfRuns,
} from "./conversation-digest.ts";
import { toSummary } from "./run-row.ts";

export type FindRunsContext = Pick<DurableStore, "vault" | "chainKeys" | "dialect">;

/** Per id: the run, undefined, or an error if it does not match the chain. */
export function* findStoredRuns(
  store: FindRunsContext,
  runIds: readonly string[],
  dead: readonly string[],
): Script<readonly (RunRecord | LedgerError | undefined)[]> {
  const { vault, chainKeys, dialect } = store;
  const asked = [JSON.stringify([...new Set(runIds)])];
  const rows = yield { sql: `SELECT * FROM haft_runs WHERE run_id ${dialect.amongTexts}`, values: asked };
  const chainRuns = yield* readChainRuns(dialect, rows);
  const texts = yield* readMessageTextsOfRuns(vault, dialect, rows);
  const found = new Map<string, RunRecord | LedgerError>();
  for (const row of rows) {
    const runId = String(row.run_id);
    try {
      found.set(runId, yield* verifyRun(chainKeys, row, chainRuns.get(runId)!, texts.get(runId) ?? [], dead));
    } catch (error) {
      found.set(runId, toLedgerError(error));
    }
  }
  return runIds.map((runId) => found.get(runId));
}

function* verifyRun(
  keys: ChainKeys,
  row: Row,
  { began, step }: ChainRun,
  conversation: readonly string[] | LedgerError,
  dead: readonly string[],
): Script<RunRecord> {
  // Resuming would act as the stored principal.
  if (isResumable(row.status as RunSummary["status"]) && !(yield* hasMatchingStart(keys, row, began))) {
    throw ledgerUnavailable(
      `The run "${row.run_id}" differs from its first row in the chain, so it cannot be resumed. Run haft log --verify for details.`,
    );
  }
  if (conversation instanceof LedgerError) throw conversation;
  if (conversation.length > 0 && !(yield* hasMatchingDigest(keys, conversation, step ?? began))) {
    throw ledgerUnavailable(
      `The conversation of the run "${row.run_id}" differs from the chain, so it cannot be resumed. Run haft log --verify for details.`,
    );
  }
  return {
    ...toSummary(row, dead),
    given: Number(row.given),
    ...runOriginOf(row, began),
    messages: conversation.map((text) => JSON.parse(text)),
  };
}

const runOriginOf = (run: Row, began: Row | undefined): Pick<RunRecord, "firstAgent" | "queued"> => {
  const { agent = run.agent, queued } = began === undefined ? {} : parseRowBody(began.body);
  return {
    firstAgent: String(agent),
    ...(queued === undefined ? {} : { queued: queued as NonNullable<RunRecord["queued"]> }),
  };
};

function* hasMatchingStart(keys: ChainKeys, run: Row, began: Row | undefined): Script<boolean> {
  if (began === undefined || began.kind !== "run-began" || began.run_id !== run.run_id) return false;
  if (!(yield* isTrustedRow(keys, began))) return false;
  const named = parseRowBody(began.body).principal ?? null;
  const stored = run.principal === null ? null : parseRowBody(run.principal);
  return canonicalJson(stored) === canonicalJson(named);
}

/** Rows of 0.1.0 have no digest. */
function* hasMatchingDigest(
  keys: ChainKeys,
  texts: readonly string[],
  step: Row | undefined,
): Script<boolean> {
  if (step === undefined || !(yield* isTrustedRow(keys, step))) return false;
  const { digest } = parseRowBody(step.body);
  return digest === undefined || digest === digestMessages(texts);
}
