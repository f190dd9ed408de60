import type { AgentsService } from "../agent/agents.ts";
import { agentNamed, type ClaimedRun } from "../agent/claim-run.ts";
import { RunRecorder } from "../call/recorder.ts";
import { loadRunTally } from "../call/run-tally.ts";
import { mayGoOn } from "../ledger/may-go-on.ts";
import type { Agent, AgentResponse } from "../words/agent.ts";
import { ToolError } from "../words/errors.ts";
import type { RunRecord } from "../words/run-book.ts";
import { agentDefinition } from "./agent-definition.ts";
import { ask } from "./ask.ts";
import type { Connection } from "./connect.ts";
import { type RunJob, runsQueue } from "./jobs.ts";
import { isSubmittedRun, jobIdOf } from "./run-id.ts";
import type { ReadWorkerOptions } from "./worker-options.ts";

/** What a worker did with a job: how the run ended, or why it did not go on with it. */
export type Taken = "ended" | "parked" | "passed" | "retried" | "buried" | "lost" | "none";

export interface Going {
  readonly connection: Connection;
  readonly options: ReadWorkerOptions;
  readonly agents: AgentsService;
}

/** Claims the run of a job and goes on with it as the caller that the ledger names. */
export const goOn = async (going: Going, job: RunJob): Promise<Taken> => {
  const { connection, options } = going;
  const { ledger, shared, jobs } = connection;
  const { runId, note } = job;
  if (!isSubmittedRun(runId)) return "none";
  if (note.due !== undefined) return await takeTurn(connection, job);
  const isWorn = (note.lost ?? 0) >= options.attempts;
  const record = await ask(shared, ledger.runs.find(runId)).catch((error: unknown) => {
    if (!isWorn) throw error;
    return error as Error;
  });
  // A run that is not as the chain says cannot even be read.
  if (record instanceof Error) return await bury(going, runId, record.message);
  if (record === undefined || !mayGoOn(record.status) || record.principal === undefined) {
    await jobs.drop(runId);
    return "none";
  }
  if (record.isHeld === true) return await pass(going, job, stillHeld);
  const { notBefore = 0 } = record.queued ?? {};
  if (notBefore > Date.now()) {
    await jobs.wake(runId, note, notBefore);
    return "passed";
  }
  if (isWorn) {
    return await bury(going, runId, `Workers were lost over it, or it failed, ${note.lost} times.`);
  }
  const agent = options.agents.get(record.firstAgent ?? record.agent);
  const unfit = whyUnfit(going, record, agent);
  if (agent === undefined || unfit !== undefined) return await pass(going, job, unfit ?? stillHeld);
  const principal = options.principal === undefined ? record.principal : options.principal(record.principal);
  if (principal === undefined) return await bury(going, runId, "Its caller has no right any more.");
  const epoch = await claim(connection, runId);
  if (epoch === undefined) return await pass(going, job, stillHeld);
  let response: AgentResponse;
  try {
    const claimed = await readClaimed(connection, record, epoch);
    const run = going.agents.run(agent, undefined, { ...options.run(agent), principal, claimed });
    response = await ask(shared, run);
  } catch (error) {
    return await recoverFrom(going, job, epoch, error);
  }
  return await settle(connection, response);
};

/** What waited for a time takes its turn among the others now. */
const takeTurn = async ({ jobs, queue }: Connection, { runId, note }: RunJob): Promise<Taken> => {
  const { tenant, priority } = note.due!;
  await queue.boss.deleteJob(runsQueue, jobIdOf(runId));
  await jobs.send({ runId, tenant: readTenant(tenant), priority });
  return "passed";
};

/** A text that nobody here wrote is a tenant of that name: it takes a turn of its own. */
const readTenant = (text: string | undefined): string | undefined => {
  try {
    return text === undefined ? undefined : String(JSON.parse(text));
  } catch {
    return text;
  }
};

const stillHeld = "Another worker seems to go on with it.";

const whyUnfit = (
  { connection, options }: Going,
  { runId, firstAgent, agent: name, queued }: RunRecord,
  agent: Agent | undefined,
): string | undefined => {
  if (agent === undefined) return `No worker has the agent "${firstAgent ?? name}".`;
  if (agentNamed(agent, name) === undefined)
    return `The agent "${agent.name}" does not hand over to "${name}".`;
  const own = agentDefinition(agent, connection.shared.registry);
  const asked = queued?.definition;
  if (asked === own || (asked !== undefined && options.compatible(asked, own, agent))) return undefined;
  return `The agent "${agent.name}" is not defined as when ${runId} was submitted.`;
};

/** Puts a job back for others: soon where somebody holds the run, later and later where nobody here can go on with it. */
const pass = async (going: Going, { runId, note }: RunJob, why: string): Promise<Taken> => {
  const { connection, options } = going;
  const now = Date.now();
  const isHeld = why === stillHeld;
  const { passed = 0, since = now } = note;
  if (!isHeld && now - since > options.waitForFitMs) return await bury(going, runId, why);
  const delayMs = isHeld ? 1_000 : Math.min(30_000, 500 * 2 ** Math.min(passed, 10));
  await connection.jobs.wake(runId, { ...note, passed: passed + 1, since }, now + delayMs);
  return "passed";
};

/** Its run is over for the fleet: an operator may wake it again. One that somebody has taken meanwhile is theirs. */
const bury = async ({ connection }: Going, runId: string, reason: string): Promise<Taken> => {
  const { ledger, shared, jobs } = connection;
  const epoch = await ask(shared, ledger.runs.claim(runId, Date.now()));
  if (epoch === undefined) return "lost";
  await ask(shared, ledger.runs.end({ runId, epoch, status: "failed", reason, at: Date.now() }));
  await jobs.bury({ runId, reason, at: Date.now() });
  await jobs.drop(runId);
  return "buried";
};

/** The ledger was away for so long that nobody can say what of a run this process holds. Only leaving the ledger frees it. */
export class LedgerAway extends Error {
  constructor(cause: unknown) {
    super("The ledger was away while a run needed it, so this worker leaves: start it again.", { cause });
  }
}

/** Nothing where somebody else was first. */
const claim = ({ ledger, shared }: Connection, runId: string): Promise<number | undefined> =>
  ask(shared, ledger.runs.claim(runId, Date.now())).catch((error: unknown) => {
    throw new LedgerAway(error);
  });

const firstClaim = 2;

/** The run as it stands under this claim, with what it has read and spent so far. */
const readClaimed = async (
  { ledger, shared }: Connection,
  record: RunRecord,
  epoch: number,
): Promise<ClaimedRun> => {
  const { runId, queued } = record;
  const { taints = [] } = queued ?? {};
  // Whoever claims a queued run first finds it as it was begun: nobody could write in between.
  if (epoch === firstClaim) return { record, epoch, tally: new RunRecorder({ taints }) };
  const now = await ask(shared, ledger.runs.find(runId));
  return { record: now ?? record, epoch, tally: await ask(shared, loadRunTally(ledger, runId, taints)) };
};

const settle = async ({ jobs }: Connection, { runId, status, pending }: AgentResponse): Promise<Taken> => {
  await jobs.finish(runId);
  if (status !== "pending") return "ended";
  // A question that nobody answers in time is told to the model like any answer.
  const expiries = pending.flatMap(({ expiresAt }) => expiresAt ?? []);
  if (expiries.length > 0) await jobs.wake(runId, { parked: true }, Math.min(...expiries) + 1_000);
  return "parked";
};

/** A run that failed is tried again where that may help. One that somebody took over is theirs. */
const recoverFrom = async (
  going: Going,
  { runId, note }: RunJob,
  epoch: number,
  error: unknown,
): Promise<Taken> => {
  const { connection, options } = going;
  if (codeOf(error) === "claim_lost") return "lost";
  if (codeOf(error) === "ledger_unavailable") {
    // Others try it as soon as this process has let go of it; where the queue is away too, a sweep finds it.
    await connection.jobs.wake(runId, { lost: (note.lost ?? 0) + 1 }, Date.now() + 1_000).catch(() => {});
    throw new LedgerAway(error);
  }
  const reason = error instanceof Error ? error.message : String(error);
  await release(connection, runId, epoch, reason);
  const now = await ask(connection.shared, connection.ledger.runs.find(runId));
  if (now === undefined || now.isHeld === true || !mayGoOn(now.status)) return "lost";
  const lost = (note.lost ?? 0) + 1;
  if (lost >= options.attempts || !mayHelp(error)) return await bury(going, runId, reason);
  await connection.jobs.wake(runId, { lost }, Date.now() + Math.min(15_000, 500 * 2 ** lost));
  return "retried";
};

const mayHelp = (error: unknown): boolean =>
  !ToolError.is(error) || error.retryable || error.code === "still_running";

const codeOf = (error: unknown): string | undefined => (ToolError.is(error) ? error.code : undefined);

/** The loop ends its run itself, unless it never came to begin; then the claim would stay. */
const release = async (
  { ledger, shared }: Connection,
  runId: string,
  epoch: number,
  reason: string,
): Promise<void> => {
  const end = ledger.runs.end({ runId, epoch, status: "failed", reason, at: Date.now() });
  await ask(shared, end).catch((error: unknown) => {
    if (codeOf(error) !== "claim_lost") throw new LedgerAway(error);
  });
};
