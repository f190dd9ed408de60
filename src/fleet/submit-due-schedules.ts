import { thrownMessage } from "../base/text/thrown-message.ts";
import type { RunPriority } from "../types/fleet.ts";
import { callerIdentityOf } from "../types/principal.ts";
import { runKindOf } from "../types/run-store.ts";
import { agentDefinition } from "./agent-definition.ts";
import { priorities } from "./fair-queueing.ts";
import { runOrThrow } from "./fleet-services.ts";
import type { RunJobContext } from "./resume-run-job.ts";
import { dueRunId } from "./run-id.ts";
import { ticksQueue } from "./run-jobs.ts";
import { beginFleetRun } from "./submit-run.ts";

/** Untrusted: principal and input come from the ledger. */
export interface ScheduleTick {
  readonly schedule: string;
  readonly priority: RunPriority;
}

const minuteMs = 60_000;

/** The minute is part of the run ID, so two workers create one run. */
export const submitDueSchedules = async (context: RunJobContext): Promise<void> => {
  const { boss } = context.connection.queue;
  if (context.options.agents.size === 0) return;
  const due = await boss.fetch<ScheduleTick>(ticksQueue, { batchSize: 50, includeMetadata: true });
  for (const { id, data, createdOn } of due) {
    const minute = Math.floor(createdOn.getTime() / minuteMs);
    const why = await submitScheduledRun(context, data, minute).catch((error: unknown) => {
      context.options.onTrouble(error);
      return thrownMessage(error);
    });
    if (why === undefined) await boss.deleteJob(ticksQueue, id);
    else await boss.fail(ticksQueue, id, { reason: why });
  }
};

/** Undefined when done, else why another worker should retry. */
const submitScheduledRun = async (
  { connection, options }: RunJobContext,
  tick: ScheduleTick,
  minute: number,
): Promise<string | undefined> => {
  const { shared, ledger, queue, jobs } = connection;
  const { schedule } = tick ?? {};
  if (typeof schedule !== "string" || runKindOf(schedule) !== "schedule") return undefined;
  const record = await runOrThrow(shared, ledger.runs.find(schedule));
  if (record?.principal === undefined || record.status !== "running") {
    await queue.boss.unschedule(ticksQueue, schedule);
    return undefined;
  }
  const agent = options.agents.get(record.agent);
  if (agent === undefined) return "This worker does not have the agent.";
  const runId = dueRunId(record.principal, schedule, minute);
  const { isNew } = await beginFleetRun(connection, {
    runId,
    agent: agent.name,
    principal: record.principal,
    messages: record.messages,
    queued: { ...record.queued, definition: agentDefinition(agent, shared.registry) },
    at: Date.now(),
  });
  const priority = priorities.includes(tick.priority) ? tick.priority : "normal";
  if (isNew) await jobs.send({ runId, tenant: callerIdentityOf(record.principal).tenant, priority });
  return undefined;
};
