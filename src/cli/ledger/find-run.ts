import type { DurableLedger } from "../../words/durable-ledger.ts";
import type { RunRecord } from "../../words/run-book.ts";
import { plain } from "../screen.ts";
import { findById, refuseAmbiguous, tooShort } from "./ids.ts";
import { ask } from "./open.ts";

/** Among so many of the newest a shortened id is looked for. */
const newest = 10_000;

/**
 * The whole id behind what was typed. Calls on their own are in no list of runs, but what a person was asked about
 * them is kept.
 */
export const findRunId = async (ledger: DurableLedger, typed: string): Promise<string | undefined> => {
  if ((await ask(ledger.runs.find(typed))) !== undefined) return typed;
  const runs = await ask(ledger.runs.list({ limit: newest }));
  const asked = await ask(ledger.approvals.list());
  const ids = new Set([...runs, ...asked].map(({ runId }) => runId));
  const found = findById(typed, [...ids], (runId) => runId);
  return found.length > 1 ? refuseAmbiguous(typed, "runs", found) : found[0];
};

/** A run, or a sentence that says where the runs are. */
export const findRun = async (ledger: DurableLedger, typed: string): Promise<RunRecord> => {
  const runId = await findRunId(ledger, typed);
  const record = runId === undefined ? undefined : await ask(ledger.runs.find(runId));
  return record ?? noRun(ledger, typed);
};

export const noRun = ({ place }: DurableLedger, typed: string): never => {
  throw new Error(
    `There is no run "${plain(typed)}" in ${place}.${tooShort(typed)} haft log --runs lists them.`,
  );
};
