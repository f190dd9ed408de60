import { userInfo } from "node:os";
import { isObject } from "../../json/is-object.ts";
import { type ApprovalDecision, type ApprovalRecord, hasOpenQuestion } from "../../words/approval.ts";
import type { DurableLedger } from "../../words/durable-ledger.ts";
import { partyOf } from "../../words/principal.ts";
import { isJobRun } from "../../words/run-book.ts";
import { exitCodes, type Option, type Terminal } from "../command.ts";
import { jsonLines } from "../json-option.ts";
import { findRunId } from "../ledger/find-run.ts";
import { shortId, tooShort } from "../ledger/ids.ts";
import { ask, bookOptions, type GivenBook } from "../ledger/open.ts";
import { needsKey, notKept } from "../ledger/place.ts";
import { sessionOf } from "../ledger/session-of.ts";
import { Misuse } from "../misuse.ts";
import { sameLedger } from "../next-step.ts";
import { painter, plain, shorten, toJsonLine } from "../screen.ts";
import { stateOf } from "./answer-of.ts";
import { findApproval } from "./find-approval.ts";
import { approvalsOf, argumentsOf, asOf } from "./listing.ts";

/** What both answers understand. */
export const answerOptions = {
  all: { type: "boolean", about: "every call of --run that waits" },
  run: { type: "string", value: "RUN", about: "the run that --all is about" },
  by: {
    type: "string",
    value: "NAME",
    about: "who answers, for the record; the user of this machine unless given",
  },
  json: jsonLines("what became of each call"),
  ...bookOptions,
} as const satisfies Readonly<Record<string, Option>>;

export interface GivenAnswer extends GivenBook {
  readonly all?: boolean;
  readonly run?: string;
  readonly by?: string;
  readonly json?: boolean;
}

export const refuseUnclear = (name: string, ids: readonly string[], given: GivenAnswer): void => {
  const isAll = given.all === true;
  if (isAll !== (given.run !== undefined)) throw new Misuse("--all and --run RUN go together.");
  if (isAll === ids.length > 0) {
    throw new Misuse(`haft ${name} takes ids of approvals, or --all --run RUN. haft approvals lists them.`);
  }
};

/** Gives the same answer to each request. It counts only if nobody was faster. */
export const answer = async (
  ledger: DurableLedger,
  ids: readonly string[],
  decision: ApprovalDecision,
  given: GivenAnswer,
  terminal: Terminal,
): Promise<number> => {
  const by = given.by ?? userName(terminal);
  const asked =
    given.run === undefined ? await byIds(ledger, ids, terminal) : await ofRun(ledger, given.run, terminal);
  for (const { record } of asked) if (record !== undefined) refuseUnfit(record, decision);
  const runs = new Map<string, ApprovalRecord>();
  let failures = 0;
  for (const { typed, record } of asked) {
    const answered = await answerOne(ledger, typed, record, { decision, by, at: terminal.now() });
    if (answered.isAnswered) runs.set(answered.record.runId, answered.record);
    else failures++;
    tell(answered, decision, terminal, given.json === true);
  }
  await wakeRuns(ledger, [...runs.keys()], given, terminal);
  if (given.json !== true)
    for (const record of runs.values()) await tellNext(ledger, record, given, terminal);
  return failures === 0 ? exitCodes.done : exitCodes.failed;
};

/** Runs of a fleet of which nothing is asked any more. Where that fails, a worker's sweep finds them. */
const wakeRuns = async (
  ledger: DurableLedger,
  runIds: readonly string[],
  given: GivenAnswer,
  terminal: Terminal,
): Promise<void> => {
  const answered: string[] = [];
  for (const runId of runIds.filter(isJobRun)) {
    const asked = await ask(ledger.approvals.list({ runId }));
    if (!hasOpenQuestion(asked, terminal.now())) answered.push(runId);
  }
  if (answered.length === 0) return;
  const [{ withQueue }, { openJobs }, { wakeParked }] = await Promise.all([
    import("../fleet/open-queue.ts"),
    import("../../fleet/jobs.ts"),
    import("../../fleet/run-waker.ts"),
  ]);
  const { ledger: place, config } = given;
  const same = { ...(place && { ledger: place }), ...(config && { config }) };
  await withQueue(same, terminal, async (queue) => {
    const jobs = await openJobs(queue, { shares: {} });
    for (const runId of answered) await wakeParked({ queue, jobs }, runId);
  }).catch(() => {});
};

interface NamedApproval {
  readonly typed: string;
  readonly record: ApprovalRecord | undefined;
}

/** All are found before any is answered: where one could be several, none is. */
const byIds = (
  ledger: DurableLedger,
  ids: readonly string[],
  { now }: Terminal,
): Promise<readonly NamedApproval[]> =>
  Promise.all(
    [...new Set(ids)].map(async (typed) => ({ typed, record: await findApproval(ledger, typed, now()) })),
  );

const ofRun = async (
  ledger: DurableLedger,
  typed: string,
  { now }: Terminal,
): Promise<readonly NamedApproval[]> => {
  const runId = (await findRunId(ledger, typed)) ?? typed;
  const waiting = await approvalsOf(ledger, { status: "waiting", runId }, now());
  if (waiting.length === 0) throw new Error(`No call of the run "${plain(typed)}" waits for an answer.`);
  return waiting.map((record) => ({ typed: record.id, record }));
};

type Told =
  | { readonly isAnswered: true; readonly typed: string; readonly record: ApprovalRecord }
  | { readonly isAnswered: false; readonly typed: string; readonly why: string };

const answerOne = async (
  ledger: DurableLedger,
  typed: string,
  record: ApprovalRecord | undefined,
  answering: { readonly decision: ApprovalDecision; readonly by: string; readonly at: number },
): Promise<Told> => {
  const unknown = {
    isAnswered: false,
    typed,
    why: `Nobody asked "${plain(typed)}".${tooShort(typed)}`,
  } as const;
  if (record === undefined) return unknown;
  const answered = await ask(ledger.approvals.answer(record.id, answering));
  const now = await ask(ledger.approvals.find(record.id));
  if (answered === "answered") return { isAnswered: true, typed, record: now ?? record };
  if (answered === "unknown" || now === undefined) return unknown;
  const kept = answered === "expired" ? ({ ...now, status: "expired" } as const) : asOf(now, answering.at);
  return { isAnswered: false, typed, why: `${record.id} is not open any more: ${plain(stateOf(kept))}.` };
};

const tell = (answered: Told, decision: ApprovalDecision, terminal: Terminal, isJson: boolean): void => {
  const { green, red } = painter(terminal);
  if (!answered.isAnswered) {
    if (isJson) terminal.out(toJsonLine({ id: answered.typed, answered: false, why: answered.why }));
    else terminal.error(`${red("haft:")} ${answered.why}\n`);
    return;
  }
  const { id, runId, tool } = answered.record;
  if (isJson) terminal.out(toJsonLine({ id, answered: true, decision: decision.kind, runId, tool }));
  else {
    const word = decision.kind === "deny" ? red("denied") : green("approved");
    terminal.out(`${word} ${id} ${plain(tool)} ${shorten(argumentsOf(answered.record), 200)}\n`);
  }
};

/** What the person does next. */
const tellNext = async (
  ledger: DurableLedger,
  record: ApprovalRecord,
  given: GivenAnswer,
  terminal: Terminal,
): Promise<void> => {
  const { runId, decision } = record;
  const same = sameLedger({ ...given });
  const waiting = await approvalsOf(ledger, { status: "waiting", runId }, terminal.now());
  const session = sessionOf(record);
  const others =
    waiting.length === 0
      ? undefined
      : `${waiting.length} more of its calls wait: haft approvals --run ${runId}${same}`;
  const next =
    session === undefined
      ? (others ?? (await goingOn(ledger, record, same)))
      : [whenLoopGoesOn(session, decision), others].filter((line) => line !== undefined).join("\n");
  const note =
    decision?.kind === "edit" ? "The arguments are validated and authorized when the call goes on.\n" : "";
  terminal.error(`${painter(terminal).dim(`${note}${next}`)}\n`);
};

/** Nobody at the command line goes on with a session. */
const whenLoopGoesOn = (session: string, decision: ApprovalDecision | undefined): string =>
  decision?.kind === "deny"
    ? `The call is not made; the loop that drives the ${session} hears so when it goes on.`
    : `The call is made when the loop that drives the ${session} goes on.`;

const goingOn = async (
  ledger: DurableLedger,
  { runId, tool }: ApprovalRecord,
  same: string,
): Promise<string> => {
  if (isJobRun(runId)) return "A worker of the fleet goes on with it.";
  const run = await ask(ledger.runs.find(runId));
  const goOn =
    run === undefined
      ? `haft resume ${runId} --tools FILE${same}, where FILE has ${plain(tool)}; an MCP client calls it again`
      : `haft resume ${runId} FILE${same}, where FILE has the agent ${plain(run.agent)}`;
  // Only the process that asked knows what else it was given, and it printed the whole command.
  const asBefore = run === undefined ? "--allow" : "--library, --model, --tools and --allow";
  const isKept = run === undefined || run.messages.length > 0 || !needsKey(ledger.place);
  return isKept ? `Go on with it: ${goOn}. Add the ${asBefore} that it was started with, if any.` : notKept;
};

/** Who sits at this machine, for the record. */
export const userName = ({ env }: Terminal): string => {
  try {
    return userInfo().username;
  } catch {
    // A user without a name, as in some containers.
    return env.USER || "somebody at the command line";
  }
};

/** A decision that could mean nothing, or more than was meant, is not written down. */
const refuseUnfit = ({ id, input, principal }: ApprovalRecord, decision: ApprovalDecision): void => {
  if (decision.kind === "edit" && isObject(input) && !isObject(decision.input)) {
    throw new Misuse(
      `--edit takes an object, as the arguments of ${shortId(id)} are: '${JSON.stringify(input)}'.`,
    );
  }
  const isForSession = decision.kind === "allow" && decision.always === "session";
  if (isForSession && partyOf(principal).session === undefined) {
    throw new Misuse(
      `This caller has no session: answer ${shortId(id)} with --always run, or name a session with --session when it is started.`,
    );
  }
};
