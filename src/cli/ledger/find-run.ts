import type { DurableLedger } from "../../types/durable-ledger.ts";
import type { RunRecord } from "../../types/run-store.ts";
import { plainText } from "../screen.ts";
import { findById, shortIdHint, throwAmbiguousId } from "./short-id.ts";
import { queryLedger } from "./with-ledger.ts";

const maxSearchedRuns = 10_000;

/** Also searches the approvals, because direct calls have no run record. */
export const findRunId = async (ledger: DurableLedger, typed: string): Promise<string | undefined> => {
  if ((await queryLedger(ledger.runs.find(typed))) !== undefined) return typed;
  const runs = await queryLedger(ledger.runs.list({ limit: maxSearchedRuns }));
  const asked = await queryLedger(ledger.approvals.list());
  const ids = new Set([...runs, ...asked].map(({ runId }) => runId));
  const found = findById(typed, [...ids], (runId) => runId);
  return found.length > 1 ? throwAmbiguousId(typed, "runs", found) : found[0];
};

export const findRun = async (ledger: DurableLedger, typed: string): Promise<RunRecord> => {
  const runId = await findRunId(ledger, typed);
  const record = runId === undefined ? undefined : await queryLedger(ledger.runs.find(runId));
  return record ?? throwNoRun(ledger, typed);
};

export const throwNoRun = ({ place }: DurableLedger, typed: string): never => {
  throw new Error(
    `There is no run "${plainText(typed)}" in ${place}.${shortIdHint(typed)} haft runs lists them.`,
  );
};
