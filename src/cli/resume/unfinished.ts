import type { ApprovalRecord } from "../../words/approval.ts";
import type { DurableLedger } from "../../words/durable-ledger.ts";
import type { RunRecord } from "../../words/run-book.ts";
import { approvalsOf } from "../approvals/listing.ts";
import { findRunId, noRun } from "../ledger/find-run.ts";
import { ask } from "../ledger/open.ts";
import { keyNote, needsKey } from "../ledger/place.ts";
import { plain } from "../screen.ts";

/** What is left to do of a run. */
export interface Unfinished {
  readonly runId: string;
  /** Missing where calls were made on their own, as haft call does. */
  readonly run: RunRecord | undefined;
  readonly waiting: readonly ApprovalRecord[];
  /** Answered, and gone on with by nobody. */
  readonly answered: readonly ApprovalRecord[];
}

export const unfinished = async (ledger: DurableLedger, typed: string, now: number): Promise<Unfinished> => {
  const runId = (await findRunId(ledger, typed)) ?? noRun(ledger, typed);
  const run = await ask(ledger.runs.find(runId));
  if (run?.status === "done") throw new Error(`${runId} is done: there is nothing to go on with.`);
  if (run !== undefined && run.messages.length === 0) throw forgotten(ledger, run);
  const waiting = await approvalsOf(ledger, { status: "waiting", runId }, now);
  const answered = await approvalsOf(ledger, { status: "answered", runId }, now);
  return { runId, run, waiting, answered };
};

/** Of a run that is over nothing is kept, so it says how it ended. */
const forgotten = ({ place }: DurableLedger, { runId, status, reason }: RunRecord): Error => {
  const why = reason === undefined ? "" : ` (${plain(reason)})`;
  const over = status === "cancelled" || status === "stopped" ? `${runId} was ${status}${why}. ` : "";
  const key = over === "" && needsKey(place) ? ` ${keyNote}` : "";
  return new Error(
    `${over}What was said in ${over === "" ? runId : "it"} is not kept, so nobody can go on with it.${key}`,
  );
};
