import type { AgentsService } from "../agent/agents.ts";
import { type ClaimedRun, findAgentByName } from "../agent/claim-run.ts";
import { isResumable } from "../ledger/held-run-leases.ts";
import { RunRecorder } from "../pipeline/recorder.ts";
import { loadRunCounters } from "../pipeline/run-counters.ts";
import type { Agent, AgentResponse } from "../types/agent.ts";
import { ToolError } from "../types/errors.ts";
import type { RunRecord } from "../types/run-store.ts";
import { agentDefinition } from "./agent-definition.ts";
import type { FleetConnection } from "./connect-fleet.ts";
import { runOrThrow } from "./fleet-services.ts";
import { isSubmittedRun, queueJobIdOf } from "./run-id.ts";
import { type RunJob, runsQueue } from "./run-jobs.ts";
import type { ParsedWorkerOptions } from "./worker-options.ts";

export type RunJobResult = "ended" | "parked" | "passed" | "retried" | "dead-lettered" | "lost" | "none";

export interface RunJobContext {
  readonly connection: FleetConnection;
  readonly options: ParsedWorkerOptions;
  readonly agents: AgentsService;
}

/** Claims the run of a job and resumes it as the recorded principal. */
export const resumeRunJob = async (context: RunJobContext, job: RunJob): Promise<RunJobResult> => {
  const { connection, options } = context;
  const { ledger, shared, jobs } = connection;
  const { runId, data } = job;
  if (!isSubmittedRun(runId)) return "none";
  if (data.due !== undefined) return await enqueueDueJob(connection, job);
  const hasExhaustedAttempts = (data.lost ?? 0) >= options.attempts;
  const record = await runOrThrow(shared, ledger.runs.find(runId)).catch((error: unknown) => {
    if (!hasExhaustedAttempts) throw error;
    return error as Error;
  });
  // Runs that contradict their hash chain cannot be read.
  if (record instanceof Error) return await moveToDeadLetters(context, runId, record.message);
  if (record === undefined || !isResumable(record.status) || record.principal === undefined) {
    await jobs.drop(runId);
    return "none";
  }
  if (record.isHeld === true) return await requeueJob(context, job, stillHeldReason);
  const { notBefore = 0 } = record.queued ?? {};
  if (notBefore > Date.now()) {
    await jobs.wake(runId, data, notBefore);
    return "passed";
  }
  if (hasExhaustedAttempts) {
    return await moveToDeadLetters(context, runId, `The run failed or lost its worker ${data.lost} times.`);
  }
  const agent = options.agents.get(record.firstAgent ?? record.agent);
  const problem = agentProblem(context, record, agent);
  if (agent === undefined || problem !== undefined)
    return await requeueJob(context, job, problem ?? stillHeldReason);
  const principal = options.principal === undefined ? record.principal : options.principal(record.principal);
  if (principal === undefined)
    return await moveToDeadLetters(context, runId, "Its caller is no longer authorized.");
  const epoch = await claimRun(connection, runId);
  if (epoch === undefined) return await requeueJob(context, job, stillHeldReason);
  let response: AgentResponse;
  try {
    const claimed = await readClaimedRun(connection, record, epoch);
    const run = context.agents.run(agent, undefined, { ...options.run(agent), principal, claimed });
    response = await runOrThrow(shared, run);
  } catch (error) {
    return await recoverFromError(context, job, epoch, error);
  }
  return await finishJob(connection, response);
};

const enqueueDueJob = async (
  { jobs, queue }: FleetConnection,
  { runId, data }: RunJob,
): Promise<RunJobResult> => {
  const { tenant, priority } = data.due!;
  await queue.boss.deleteJob(runsQueue, queueJobIdOf(runId));
  await jobs.send({ runId, tenant: parseTenant(tenant), priority });
  return "passed";
};

const parseTenant = (text: string | undefined): string | undefined => {
  try {
    return text === undefined ? undefined : String(JSON.parse(text));
  } catch {
    return text;
  }
};

const stillHeldReason = "Another worker seems to have resumed it.";

const agentProblem = (
  { connection, options }: RunJobContext,
  { runId, firstAgent, agent: name, queued }: RunRecord,
  agent: Agent | undefined,
): string | undefined => {
  if (agent === undefined) return `No worker has the agent "${firstAgent ?? name}".`;
  if (findAgentByName(agent, name) === undefined)
    return `The agent "${agent.name}" has no handoff to "${name}".`;
  const ownDefinition = agentDefinition(agent, connection.shared.registry);
  const submittedDefinition = queued?.definition;
  if (
    submittedDefinition === ownDefinition ||
    (submittedDefinition !== undefined && options.compatible(submittedDefinition, ownDefinition, agent))
  )
    return undefined;
  return `The agent "${agent.name}" has another definition than when ${runId} was submitted.`;
};

/** Puts a job back: briefly if another worker holds the run, with backoff if this worker cannot run it. */
const requeueJob = async (
  context: RunJobContext,
  { runId, data }: RunJob,
  why: string,
): Promise<RunJobResult> => {
  const { connection, options } = context;
  const now = Date.now();
  const isHeld = why === stillHeldReason;
  const { passed = 0, since = now } = data;
  if (!isHeld && now - since > options.waitForFitMs) return await moveToDeadLetters(context, runId, why);
  const delayMs = isHeld ? 1_000 : Math.min(30_000, 500 * 2 ** Math.min(passed, 10));
  await connection.jobs.wake(runId, { ...data, passed: passed + 1, since }, now + delayMs);
  return "passed";
};

/** Ends the run as failed, unless another worker has claimed it. An operator can wake it again. */
const moveToDeadLetters = async (
  { connection }: RunJobContext,
  runId: string,
  reason: string,
): Promise<RunJobResult> => {
  const { ledger, shared, jobs } = connection;
  const epoch = await runOrThrow(shared, ledger.runs.claim(runId, Date.now()));
  if (epoch === undefined) return "lost";
  await runOrThrow(shared, ledger.runs.end({ runId, epoch, status: "failed", reason, at: Date.now() }));
  await jobs.moveToDeadLetters({ runId, reason, at: Date.now() });
  await jobs.drop(runId);
  return "dead-lettered";
};

/** After an outage, the state of this process's claims is unknown; only leaving the ledger releases them. */
export class LedgerLostError extends Error {
  constructor(cause: unknown) {
    super("The ledger was unavailable during a run, so this worker stops. Restart it.", { cause });
  }
}

const claimRun = ({ ledger, shared }: FleetConnection, runId: string): Promise<number | undefined> =>
  runOrThrow(shared, ledger.runs.claim(runId, Date.now())).catch((error: unknown) => {
    throw new LedgerLostError(error);
  });

const firstClaimEpoch = 2;

const readClaimedRun = async (
  { ledger, shared }: FleetConnection,
  record: RunRecord,
  epoch: number,
): Promise<ClaimedRun> => {
  const { runId, queued } = record;
  const { taints = [] } = queued ?? {};
  // Nothing writes to a queued run before its first claim.
  if (epoch === firstClaimEpoch) return { record, epoch, tally: new RunRecorder({ taints }) };
  const now = await runOrThrow(shared, ledger.runs.find(runId));
  return {
    record: now ?? record,
    epoch,
    tally: await runOrThrow(shared, loadRunCounters(ledger, runId, { taints })),
  };
};

const finishJob = async (
  { jobs }: FleetConnection,
  { runId, status, pending }: AgentResponse,
): Promise<RunJobResult> => {
  await jobs.finish(runId);
  if (status !== "pending") return "ended";
  // An expired approval request resumes the run.
  const expiries = pending.flatMap(({ expiresAt }) => expiresAt ?? []);
  if (expiries.length > 0) await jobs.wake(runId, { parked: true }, Math.min(...expiries) + 1_000);
  return "parked";
};

const recoverFromError = async (
  context: RunJobContext,
  { runId, data }: RunJob,
  epoch: number,
  error: unknown,
): Promise<RunJobResult> => {
  const { connection, options } = context;
  if (errorCodeOf(error) === "claim_lost") return "lost";
  if (errorCodeOf(error) === "ledger_unavailable") {
    // Others retry once this process has released the run; if the queue is down too, a sweep finds it.
    await connection.jobs.wake(runId, { lost: (data.lost ?? 0) + 1 }, Date.now() + 1_000).catch(() => {});
    throw new LedgerLostError(error);
  }
  const reason = error instanceof Error ? error.message : String(error);
  await releaseRun(connection, runId, epoch, reason);
  const now = await runOrThrow(connection.shared, connection.ledger.runs.find(runId));
  if (now === undefined || now.isHeld === true || !isResumable(now.status)) return "lost";
  const lost = (data.lost ?? 0) + 1;
  if (lost >= options.attempts || !isRetryUseful(error))
    return await moveToDeadLetters(context, runId, reason);
  await connection.jobs.wake(runId, { lost }, Date.now() + Math.min(15_000, 500 * 2 ** lost));
  return "retried";
};

const isRetryUseful = (error: unknown): boolean =>
  !ToolError.is(error) || error.retryable || error.code === "still_running";

const errorCodeOf = (error: unknown): string | undefined => (ToolError.is(error) ? error.code : undefined);

/** Needed if the run's loop failed to start. */
const releaseRun = async (
  { ledger, shared }: FleetConnection,
  runId: string,
  epoch: number,
  reason: string,
): Promise<void> => {
  const end = ledger.runs.end({ runId, epoch, status: "failed", reason, at: Date.now() });
  await runOrThrow(shared, end).catch((error: unknown) => {
    if (errorCodeOf(error) !== "claim_lost") throw new LedgerLostError(error);
  });
};
