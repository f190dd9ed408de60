import { everyAgent } from "../../agent/agent-tools.ts";
import type { BindMode } from "../../catalog/library/binding.ts";
import { mayGoOn } from "../../ledger/may-go-on.ts";
import type { Agent } from "../../words/agent.ts";
import type { ApprovalRecord } from "../../words/approval.ts";
import type { DurableLedger } from "../../words/durable-ledger.ts";
import { isSameParty } from "../../words/principal.ts";
import type { RunRecord } from "../../words/run-book.ts";
import { agentOptions, runOptionsOf } from "../agent-options.ts";
import { answerOnce, runCodes, tellWaiting } from "../answer-once.ts";
import { approvalLayouts, approvalsOf } from "../approvals/listing.ts";
import { listed } from "../columns.ts";
import { command, exitCodes, type Terminal } from "../command.ts";
import { jsonLines } from "../json-option.ts";
import { findRunId, noRun } from "../ledger/find-run.ts";
import { ask, withRuntimeLedger } from "../ledger/open.ts";
import { keyNote, needsKey } from "../ledger/place.ts";
import { sessionOf } from "../ledger/session-of.ts";
import { loadAgent } from "../load-agent.ts";
import { Misuse } from "../misuse.ts";
import { type GivenRuntime, type OpenedRuntime, openWith, runtimeOptionsOf } from "../open-runtime.ts";
import { refuseChanged } from "../resume/refuse-changed.ts";
import { painter, plain, plainLines, toJsonLine } from "../screen.ts";
import { tellWaitingCall } from "../tell-waiting-call.ts";

/** Another process goes on where one stopped; what was done is not done again. */
export const resume = command({
  operands: "RUN [AGENT]",
  options: {
    ...agentOptions,
    json: jsonLines("the response, or each call that waits or that was gone on with"),
    force: {
      type: "boolean",
      about: "go on although a tool is not the same as when it was approved; that call is not made",
    },
  },
  examples: [
    { line: "haft resume run-4f3a9c0d1e2b3f44-1 shop.ts", about: "with the agent that the run is of" },
    { line: "haft log --runs", about: "which runs wait, and which were left" },
    {
      line: "haft resume run-4f3a9c0d1e2b3f44-1 --tools shop.ts",
      about: "a call of haft call that was approved",
    },
  ],
  run: async ({ options, operands, terminal }) => {
    const [typed, file, ...more] = operands;
    if (typed === undefined || more.length > 0) {
      throw new Misuse("haft resume takes a run, and the file of its agent. haft log --runs lists runs.");
    }
    const found: Unfinished = await withRuntimeLedger(options, terminal, (ledger) =>
      unfinished(ledger, typed, terminal.now()),
    );
    if (found.waiting.length > 0) {
      const table = listed(approvalLayouts(terminal.now), found.waiting, terminal);
      if (options.json === true) for (const each of found.waiting) terminal.out(toJsonLine(each));
      else terminal.error(`${found.runId} still waits for answers:\n${table}`);
      return exitCodes.pending;
    }
    if (found.run === undefined) return resumeCalls(found, options, terminal);
    if (file === undefined) {
      throw new Misuse(
        `${found.runId} is a run of the agent "${plain(found.run.agent)}": name its file too.`,
      );
    }
    const loaded = await loadAgent(file, options, terminal);
    refuseOther(found.run, loaded.agent, file);
    const common = runOptionsOf(options, loaded, terminal);
    const opening = await runtimeOptionsOf({ ...options, model: undefined }, terminal, {
      agent: loaded.agent.name,
      caller: found.run.principal,
      ledger: "default",
    });
    // To anybody but its own caller a run does not exist.
    if (!isSameParty(found.run.principal, opening.principal)) throw noSuchRun(typed);
    const mode = (options.bind ?? "compatible") as BindMode;
    await using opened = await openWith(opening);
    if (options.force !== true) refuseChanged(found.answered, opened.haft, { ...loaded, mode });
    const asked = { haft: opened.haft, agent: loaded.agent };
    const response = await answerOnce(
      asked,
      undefined,
      { ...common, resume: found.runId },
      options,
      terminal,
    );
    if (options.json === true) terminal.out(toJsonLine(response));
    else tellWaiting(response, { file, ledger: opened.ledger }, options, terminal);
    return terminal.signal.aborted ? exitCodes.cancelled : runCodes[response.status];
  },
});

/** Whoever the run was handed over to is an agent of the file too. */
const refuseOther = ({ runId, agent: name }: RunRecord, agent: Agent, file: string): void => {
  if ([...everyAgent(agent)].some((each) => each.name === name)) return;
  throw new Misuse(`${runId} is a run of the agent "${plain(name)}"; ${file} has "${plain(agent.name)}".`);
};

const noSuchRun = (typed: string): Error =>
  new Error(`There is no run "${plain(typed)}" of this caller. haft log --runs lists them.`);

interface GivenCalls extends GivenRuntime {
  readonly json?: boolean;
  readonly force?: boolean;
}

/** Calls that were made on their own and have been answered since. */
const resumeCalls = async (
  { runId, answered }: Unfinished,
  given: GivenCalls,
  terminal: Terminal,
): Promise<number> => {
  if (answered.length === 0) throw new Error(`Nothing of ${runId} is left to go on with.`);
  const caller = answered[0]?.principal;
  const opening = await runtimeOptionsOf(given, terminal, { caller, ledger: "default" });
  await using opened = await openWith(opening);
  if (given.force !== true) refuseChanged(answered, opened.haft);
  let code: number = exitCodes.done;
  for (const [index, { id }] of answered.entries()) {
    // A program that went on with the first of its calls has made the others that were answered.
    if (index > 0 && !(await isAnswered(opened.haft, runId, id))) continue;
    const reply = await opened.haft.resume(id);
    if (given.json === true) terminal.out(toJsonLine(reply));
    else if (reply.pending !== undefined) tellWaitingCall(reply.pending, given, terminal);
    else if (reply.ok) terminal.out(`${reply.text}\n`);
    else
      terminal.error(`${painter(terminal).red("haft:")} ${plainLines(reply.text.replace(/^Error: /, ""))}\n`);
    if (!reply.ok) code = reply.pending === undefined ? exitCodes.failed : exitCodes.pending;
  }
  return code;
};

const isAnswered = async (haft: OpenedRuntime["haft"], runId: string, id: string): Promise<boolean> =>
  (await haft.approvals({ runId, status: "answered" })).some((one) => one.id === id);

/** What is left to do of a run. */
interface Unfinished {
  readonly runId: string;
  /** Missing where calls were made on their own, as haft call does. */
  readonly run: RunRecord | undefined;
  readonly waiting: readonly ApprovalRecord[];
  /** Answered, and gone on with by nobody. */
  readonly answered: readonly ApprovalRecord[];
}

const unfinished = async (ledger: DurableLedger, typed: string, now: number): Promise<Unfinished> => {
  const runId = (await findRunId(ledger, typed)) ?? noRun(ledger, typed);
  const run = await ask(ledger.runs.find(runId));
  if (run?.status === "done") throw new Error(`${runId} is done: there is nothing to go on with.`);
  refuseSession(run ?? { runId, principal: undefined, status: "pending" });
  if (run !== undefined && run.messages.length === 0) throw forgotten(ledger, run);
  const waiting = await approvalsOf(ledger, { status: "waiting", runId }, now);
  const answered = await approvalsOf(ledger, { status: "answered", runId }, now);
  return { runId, run, waiting, answered };
};

/** One that is over is told like any other run. */
const refuseSession = (run: Pick<RunRecord, "runId" | "principal" | "status">): void => {
  const session = sessionOf(run);
  if (session === undefined || !mayGoOn(run.status)) return;
  throw new Misuse(
    `${run.runId} is the ${session}: only the loop that drives it goes on with it. haft approve and haft deny answer what ` +
      "it asks, haft runs give-up ends it.",
  );
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
