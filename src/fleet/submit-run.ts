import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { canonicalJson } from "../base/json/canonical-json.ts";
import type { Agent, RunInput } from "../types/agent.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { SubmitOptions, SubmittedRun } from "../types/fleet.ts";
import type { Principal } from "../types/principal.ts";
import type { QueuedRun, RunRecord, RunStart } from "../types/run-store.ts";
import { agentDefinition } from "./agent-definition.ts";
import { type FleetConnection, rememberSubmitter } from "./connect-fleet.ts";
import { type ParsedSubmission, readSubmission } from "./read-submission.ts";
import { keyedRunId, newRunId } from "./run-id.ts";
import { ticksQueue } from "./run-jobs.ts";
import { runOrThrow } from "./run-or-throw.ts";
import type { ScheduleTick } from "./submit-due-schedules.ts";

export interface Submitter {
  readonly principal: Principal | undefined;
  readonly taints: readonly string[];
}

/** Begins the run in the ledger, then wakes a worker. A sweep finds runs whose job was lost in between. */
export const submitRun = async (
  connection: FleetConnection,
  { principal, taints }: Submitter,
  agent: Agent,
  input: RunInput,
  options: SubmitOptions,
): Promise<SubmittedRun> => {
  const read = readSubmission(principal, agent, input, options);
  const definition = agentDefinition(agent, connection.shared.registry);
  const queued: QueuedRun = {
    definition,
    ...(taints.length === 0 ? {} : { taints: [...new Set(taints)] }),
  };
  if (read.schedule !== undefined) return submitSchedule(connection, agent, read, queued);
  const at = Date.now();
  const notBefore = read.delayMs === 0 ? undefined : at + read.delayMs;
  const runId = read.key === undefined ? newRunId() : keyedRunId(read.caller, read.key);
  const begun = await beginFleetRun(connection, {
    runId,
    agent: agent.name,
    principal: read.caller,
    messages: read.messages,
    queued: { ...queued, ...(notBefore === undefined ? {} : { notBefore }) },
    at,
  });
  // An existing run's job may be lost. Sending it again has no other effect.
  if (begun.isNew || begun.isQueued) {
    await connection.ends.expect(runId).catch(() => false);
    // Already submitted: an error would make the caller submit again.
    await connection.jobs
      .send({ runId, tenant: read.tenant, priority: read.priority, notBefore })
      .catch(() => {});
  }
  rememberSubmitter(connection, runId, read.caller);
  return { runId, isNew: begun.isNew };
};

interface BeginRunResult {
  readonly isNew: boolean;
  readonly isQueued: boolean;
}

/** Idempotent: of concurrent calls, one begins the run. */
export const beginFleetRun = async (
  { ledger, shared }: FleetConnection,
  start: RunStart,
): Promise<BeginRunResult> => {
  const begun = await runOrThrow(shared, Effect.result(ledger.runs.begin(start)));
  if (Result.isSuccess(begun)) {
    await requireStoredTexts(ledger, shared, start);
    return { isNew: true, isQueued: true };
  }
  const found = await runOrThrow(shared, ledger.runs.find(start.runId));
  if (found === undefined) throw begun.failure;
  requireSameRun(start, found);
  return { isNew: false, isQueued: found.status === "running" && found.turns === 0 };
};

const ledgersWithTexts = new WeakSet<object>();

const requireStoredTexts = async (
  ledger: FleetConnection["ledger"],
  shared: FleetConnection["shared"],
  { runId, at }: RunStart,
): Promise<void> => {
  if (ledgersWithTexts.has(ledger)) return;
  const found = await runOrThrow(shared, ledger.runs.find(runId));
  if (found !== undefined && found.messages.length === 0) {
    await runOrThrow(shared, ledger.runs.cancel(runId, undefined, at));
    throw new ConfigurationError(
      "invalid_config",
      "This ledger does not store exact texts, so workers could not read the input. Set the same HAFT_LEDGER_KEY here and for the workers: texts are encrypted with it.",
    );
  }
  ledgersWithTexts.add(ledger);
};

const requireSameRun = (start: RunStart, { firstAgent, messages, given }: RunRecord): void => {
  const isSame =
    firstAgent === start.agent &&
    canonicalJson(messages.slice(0, given)) === canonicalJson(JSON.parse(JSON.stringify(start.messages)));
  if (isSame) return;
  throw new ConfigurationError(
    "invalid_config",
    "This key was already used for another agent or another input. Use one key per run.",
  );
};

/** The queue stores only when a schedule is due, not what it runs. */
const submitSchedule = async (
  connection: FleetConnection,
  agent: Agent,
  read: ParsedSubmission,
  queued: QueuedRun,
): Promise<SubmittedRun> => {
  const { cron, timezone } = read.schedule!;
  const key = read.key ?? JSON.stringify([agent.name, cron, timezone, canonicalJson(read.messages)]);
  const runId = keyedRunId(read.caller, `schedule ${key}`, "schedule");
  const { messages, caller: principal } = read;
  const { boss } = connection.queue;
  const start = { runId, agent: agent.name, principal, messages, queued, at: Date.now() };
  const { isNew } = await beginFleetRun(connection, start);
  try {
    const tick: ScheduleTick = { schedule: runId, priority: read.priority };
    await boss.schedule(ticksQueue, cron, tick, { tz: timezone, key: runId });
  } catch (error) {
    if (isNew)
      await runOrThrow(connection.shared, connection.ledger.runs.cancel(runId, undefined, Date.now()));
    throw new ConfigurationError(
      "invalid_config",
      `The schedule "${cron}" (${timezone}) cannot be stored: ${error instanceof Error ? error.message : error}`,
    );
  }
  return { runId, isNew };
};
