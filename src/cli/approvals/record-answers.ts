import { userInfo } from "node:os";
import { isObject } from "../../base/json/json-value.ts";
import { type ApprovalDecision, type ApprovalRecord, hasOpenApproval } from "../../types/approval.ts";
import type { DurableLedger } from "../../types/durable-ledger.ts";
import { callerIdentityOf } from "../../types/principal.ts";
import { runKindOf, runKindRulesOf } from "../../types/run-store.ts";
import { CommandUsageError, exitCodes, jsonLines, type Option, type Terminal } from "../command.ts";
import { findRunId } from "../ledger/find-run.ts";
import { needsLedgerKey, runNotStoredNote } from "../ledger/known-ledgers.ts";
import { sessionLabel, shortId, shortIdHint } from "../ledger/short-id.ts";
import { type LedgerFlags, ledgerOptions, queryLedger } from "../ledger/with-ledger.ts";
import { repeatLedgerFlags } from "../repeat-flags.ts";
import { painter, plainText, shortenToColumns, toJsonLine } from "../screen.ts";
import { type OperatorFlags, operatorOptions } from "../trust/require-operator.ts";
import { describeApprovalState } from "./describe-answer.ts";
import { approvalArgumentsText, findApproval, listApprovalRecords, withExpiry } from "./list-approvals.ts";

export const answerOptions = {
  all: { type: "boolean", about: "every pending call of --run" },
  run: { type: "string", value: "RUN", about: "the run that --all is about" },
  by: {
    type: "string",
    value: "NAME",
    about: "name of the approver, for the record; default: the user of this machine",
  },
  json: jsonLines("the result of each call"),
  ...operatorOptions,
  ...ledgerOptions,
} as const satisfies Readonly<Record<string, Option>>;

export interface AnswerFlags extends LedgerFlags, OperatorFlags {
  readonly all?: boolean;
  readonly run?: string;
  readonly by?: string;
  readonly json?: boolean;
}

export const checkAnswerOperands = (name: string, ids: readonly string[], flags: AnswerFlags): void => {
  const isAll = flags.all === true;
  if (isAll !== (flags.run !== undefined))
    throw new CommandUsageError("--all requires --run RUN, and --run RUN requires --all.");
  if (isAll === ids.length > 0) {
    throw new CommandUsageError(
      `haft ${name} requires ids of approval requests, or --all --run RUN. haft approvals lists them.`,
    );
  }
};

export const recordAnswers = async (
  ledger: DurableLedger,
  ids: readonly string[],
  decision: ApprovalDecision,
  flags: AnswerFlags,
  terminal: Terminal,
): Promise<number> => {
  const by = flags.by ?? userName(terminal);
  const named =
    flags.run === undefined
      ? await findApprovalsById(ledger, ids, terminal)
      : await findApprovalsOfRun(ledger, flags.run, terminal);
  for (const { record } of named) if (record !== undefined) checkDecision(record, decision);
  const runs = new Map<string, ApprovalRecord>();
  let failures = 0;
  for (const { typed, record } of named) {
    const answered = await recordOneAnswer(ledger, typed, record, { decision, by, at: terminal.now() });
    if (answered.isAnswered) runs.set(answered.record.runId, answered.record);
    else failures++;
    printAnswerOutcome(answered, decision, terminal, flags.json === true);
  }
  await wakeRuns(ledger, [...runs.keys()], flags, terminal);
  if (flags.json !== true)
    for (const record of runs.values()) await printNextStep(ledger, record, flags, terminal);
  return failures === 0 ? exitCodes.done : exitCodes.failed;
};

/** If this fails, the sweep of a worker finds the runs. */
const wakeRuns = async (
  ledger: DurableLedger,
  runIds: readonly string[],
  flags: AnswerFlags,
  terminal: Terminal,
): Promise<void> => {
  const answered: string[] = [];
  for (const runId of runIds.filter((each) => runKindOf(each) === "job")) {
    const asked = await queryLedger(ledger.approvals.list({ runId }));
    if (!hasOpenApproval(asked, terminal.now())) answered.push(runId);
  }
  if (answered.length === 0) return;
  const [{ withQueue }, { openRunJobs: openJobs }, { wakeParkedRun: wakeParked }] = await Promise.all([
    import("../fleet/with-queue.ts"),
    import("../../fleet/run-jobs.ts"),
    import("../../fleet/run-waker.ts"),
  ]);
  const { ledger: place, config } = flags;
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

/** Finds all requests before it answers any, so that an ambiguous id records nothing. */
const findApprovalsById = (
  ledger: DurableLedger,
  ids: readonly string[],
  { now }: Terminal,
): Promise<readonly NamedApproval[]> =>
  Promise.all(
    [...new Set(ids)].map(async (typed) => ({ typed, record: await findApproval(ledger, typed, now()) })),
  );

const findApprovalsOfRun = async (
  ledger: DurableLedger,
  typed: string,
  { now }: Terminal,
): Promise<readonly NamedApproval[]> => {
  const runId = (await findRunId(ledger, typed)) ?? typed;
  const waiting = await listApprovalRecords(ledger, { status: "waiting", runId }, now());
  if (waiting.length === 0) throw new Error(`The run "${plainText(typed)}" has no pending calls.`);
  return waiting.map((record) => ({ typed: record.id, record }));
};

type AnswerOutcome =
  | { readonly isAnswered: true; readonly typed: string; readonly record: ApprovalRecord }
  | { readonly isAnswered: false; readonly typed: string; readonly why: string };

const recordOneAnswer = async (
  ledger: DurableLedger,
  typed: string,
  record: ApprovalRecord | undefined,
  recorded: { readonly decision: ApprovalDecision; readonly by: string; readonly at: number },
): Promise<AnswerOutcome> => {
  const unknown = {
    isAnswered: false,
    typed,
    why: `There is no approval request "${plainText(typed)}".${shortIdHint(typed)}`,
  } as const;
  if (record === undefined) return unknown;
  const answered = await queryLedger(ledger.approvals.answer(record.id, recorded));
  const now = await queryLedger(ledger.approvals.find(record.id));
  if (answered === "answered") return { isAnswered: true, typed, record: now ?? record };
  if (answered === "unknown" || now === undefined) return unknown;
  const stored =
    answered === "expired" ? ({ ...now, status: "expired" } as const) : withExpiry(now, recorded.at);
  return {
    isAnswered: false,
    typed,
    why: `${record.id} is no longer open: ${plainText(describeApprovalState(stored))}.`,
  };
};

const printAnswerOutcome = (
  answered: AnswerOutcome,
  decision: ApprovalDecision,
  terminal: Terminal,
  isJson: boolean,
): void => {
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
    terminal.out(
      `${word} ${id} ${plainText(tool)} ${shortenToColumns(approvalArgumentsText(answered.record), 200)}\n`,
    );
  }
};

const printNextStep = async (
  ledger: DurableLedger,
  record: ApprovalRecord,
  flags: AnswerFlags,
  terminal: Terminal,
): Promise<void> => {
  const { runId, decision } = record;
  const same = repeatLedgerFlags({ ...flags });
  const waiting = await listApprovalRecords(ledger, { status: "waiting", runId }, terminal.now());
  const session = sessionLabel(record);
  const others =
    waiting.length === 0
      ? undefined
      : `${waiting.length} more of its calls are pending: haft approvals --run ${runId}${same}`;
  const next =
    session === undefined
      ? (others ?? (await resumeHint(ledger, record, same, terminal.now())))
      : [sessionResumeHint(session, decision), others].filter((line) => line !== undefined).join("\n");
  const note =
    decision?.kind === "edit" ? "The arguments are validated and authorized when the call resumes.\n" : "";
  terminal.error(`${painter(terminal).dim(`${note}${next}`)}\n`);
};

/** Only the loop that drives a session can resume it. */
const sessionResumeHint = (session: string, decision: ApprovalDecision | undefined): string =>
  decision?.kind === "deny"
    ? `The call does not run; the process that drives the ${session} gets the denial when it continues.`
    : `The call runs when the process that drives the ${session} continues.`;

const resumeHint = async (
  ledger: DurableLedger,
  { runId, entryId, tool }: ApprovalRecord,
  same: string,
  now: number,
): Promise<string> => {
  const { resumer } = runKindRulesOf(runId);
  if (resumer !== undefined) return `The run is resumed by ${resumer}.`;
  const run = await queryLedger(ledger.runs.find(runId));
  const answered = await listApprovalRecords(ledger, { status: "answered", runId }, now);
  const isDenied = answered.every(({ decision }) => decision?.kind === "deny");
  if (isDenied && run === undefined) return "The call does not run.";
  const [entry] = await queryLedger(ledger.entries({ entryId }));
  const file = fromConfiguration.has(entry?.implementation ?? "")
    ? ""
    : `. Add --tools FILE if ${plainText(tool)} is in a file that is not in the configuration`;
  const resumeCommand =
    run === undefined
      ? `haft resume ${runId}${same}; an MCP client calls it again${file}`
      : `haft resume ${runId} FILE${same}, where FILE has the agent ${plainText(run.agent)}`;
  // Only the process that made the request knows its other options.
  const repeatedFlags = run === undefined ? "--allow" : "--library, --model, --tools and --allow";
  const isKept = run === undefined || run.messages.length > 0 || !needsLedgerKey(ledger.place);
  return isKept
    ? `To ${isDenied ? "continue the run without the call" : "make the call"}: ${resumeCommand}. Repeat ${repeatedFlags} if it was started with them.`
    : runNotStoredNote;
};

const fromConfiguration: ReadonlySet<string> = new Set(["builtin", "mcp"]);

export const userName = ({ env }: Terminal): string => {
  try {
    return userInfo().username;
  } catch {
    // userInfo() throws for a user without a name, as in some containers.
    return env.USER || "unknown command-line user";
  }
};

const checkDecision = ({ id, input, principal }: ApprovalRecord, decision: ApprovalDecision): void => {
  if (decision.kind === "edit" && isObject(input) && !isObject(decision.input)) {
    throw new CommandUsageError(
      `--edit must be a JSON object, like the arguments of ${shortId(id)}: '${JSON.stringify(input)}'.`,
    );
  }
  const isForSession = decision.kind === "allow" && decision.always === "session";
  if (isForSession && callerIdentityOf(principal).session === undefined) {
    throw new CommandUsageError(
      `This caller has no session. Answer ${shortId(id)} with --always run, or set a session with --session when you start the run.`,
    );
  }
};
