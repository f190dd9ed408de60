import { textOfThrown } from "../text/thrown-text.ts";
import type { RunPriority } from "../words/fleet.ts";
import { partyOf } from "../words/principal.ts";
import { isScheduleRun } from "../words/run-book.ts";
import { agentDefinition } from "./agent-definition.ts";
import { ask } from "./ask.ts";
import type { Going } from "./go-on.ts";
import { ticksQueue } from "./jobs.ts";
import { dueRunId } from "./run-id.ts";
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
  if (going.options.agents.size === 0) return;
  const due = await boss.fetch<Tick>(ticksQueue, { batchSize: 50, includeMetadata: true });
  for (const { id, data, createdOn } of due) {
    const minute = Math.floor(createdOn.getTime() / minuteMs);
    // What is wrong with one schedule does not keep the others waiting.
    const why = await submitOne(going, data, minute).catch((error: unknown) => {
      going.options.onTrouble(error);
      return textOfThrown(error);
    });
    if (why === undefined) await boss.deleteJob(ticksQueue, id);
    else await boss.fail(ticksQueue, id, { reason: why });
  }
};

/** Nothing once there is nothing more to do for it; else why another worker is to try. */
const submitOne = async (
  { connection, options }: Going,
  tick: Tick,
  minute: number,
): Promise<string | undefined> => {
  const { shared, ledger, queue, jobs } = connection;
  const { schedule } = tick ?? {};
  if (typeof schedule !== "string" || !isScheduleRun(schedule)) return undefined;
  const record = await ask(shared, ledger.runs.find(schedule));
  if (record?.principal === undefined || record.status !== "running") {
    await queue.boss.unschedule(ticksQueue, schedule);
    return undefined;
  }
  const agent = options.agents.get(record.agent);
  if (agent === undefined) return "This worker does not have the agent.";
  const runId = dueRunId(record.principal, schedule, minute);
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
  return undefined;
};
