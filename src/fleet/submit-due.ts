import type { RunPriority } from "../words/fleet.ts";
import { partyOf } from "../words/principal.ts";
import { isScheduleRun } from "../words/run-book.ts";
import { agentDefinition } from "./agent-definition.ts";
import { ask } from "./ask.ts";
import type { Going } from "./go-on.ts";
import { ticksQueue } from "./jobs.ts";
import { keyedRunId } from "./run-id.ts";
import { priorities } from "./shares.ts";
import { begin } from "./submit.ts";

/** What the queue says of a schedule that is due. Whose it is and what it asks, the ledger says. */
export interface Tick {
  readonly schedule: string;
  readonly priority: RunPriority;
}

const minuteMs = 60_000;

/** Submits a run for each schedule that is due. The minute is its key, so two workers make one run of it. */
export const submitDue = async (going: Going): Promise<void> => {
  const { boss } = going.connection.queue;
  const due = await boss.fetch<Tick>(ticksQueue, { batchSize: 50, includeMetadata: true });
  for (const { id, data, createdOn } of due) {
    const isDone = await submitOne(going, data, Math.floor(createdOn.getTime() / minuteMs));
    if (isDone) await boss.deleteJob(ticksQueue, id);
    else await boss.fail(ticksQueue, id, { reason: "This worker does not have the agent." });
  }
};

const submitOne = async ({ connection, options }: Going, tick: Tick, minute: number): Promise<boolean> => {
  const { shared, ledger, queue, jobs } = connection;
  const { schedule } = tick ?? {};
  if (typeof schedule !== "string" || !isScheduleRun(schedule)) return true;
  const record = await ask(shared, ledger.runs.find(schedule));
  if (record?.principal === undefined || record.status !== "running") {
    await queue.boss.unschedule(ticksQueue, schedule);
    return true;
  }
  const agent = options.agents.get(record.agent);
  if (agent === undefined) return false;
  const runId = keyedRunId(record.principal, `${schedule} ${minute}`);
  const { isNew } = await begin(connection, {
    runId,
    agent: agent.name,
    principal: record.principal,
    messages: record.messages,
    queued: { ...record.queued, definition: agentDefinition(agent, shared.registry) },
    at: Date.now(),
  });
  const priority = priorities.includes(tick.priority) ? tick.priority : "normal";
  if (isNew) await jobs.send({ runId, tenant: partyOf(record.principal).tenant, priority });
  return true;
};
