import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { readRun } from "../agent/read-run.ts";
import { canonicalJson } from "../base/json/canonical-json.ts";
import { checkFields } from "../base/json/check-fields.ts";
import type { Agent, RunInput } from "../types/agent.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { RunPriority, SubmitOptions, SubmittedRun } from "../types/fleet.ts";
import type { Message } from "../types/message.ts";
import { callerIdentityOf, type Principal } from "../types/principal.ts";
import type { QueuedRun, RunRecord, RunStart } from "../types/run-store.ts";
import { agentDefinition } from "./agent-definition.ts";
import { type FleetConnection, rememberSubmitter } from "./connect-fleet.ts";
import { priorities } from "./fair-queueing.ts";
import { runOrThrow } from "./fleet-services.ts";
import { keyedRunId, newRunId } from "./run-id.ts";
import { ticksQueue } from "./run-jobs.ts";
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

interface ParsedSubmission {
  readonly caller: Principal;
  readonly tenant: string | undefined;
  readonly messages: readonly Message[];
  readonly key: string | undefined;
  readonly priority: RunPriority;
  readonly delayMs: number;
  readonly schedule: { readonly cron: string; readonly timezone: string } | undefined;
}

const submitFields: readonly (keyof SubmitOptions)[] = [
  "key",
  "priority",
  "delay",
  "schedule",
  "timezone",
  "tenant",
];

export const readSubmission = (
  principal: Principal | undefined,
  agent: Agent,
  input: RunInput,
  options: SubmitOptions,
): ParsedSubmission => {
  checkFields("haft.submit", options, submitFields);
  const { messages } = readRun(agent, input, {});
  const { key, priority = "normal", schedule, timezone = "UTC" } = options;
  const delayMs = readDelay(options.delay);
  if (key !== undefined && !isText(key))
    throw submitError("`key` must be a string of 1 to 1,000 characters.");
  if (!priorities.includes(priority))
    throw submitError(`\`priority\` must be one of ${priorities.join(", ")}.`);
  if (schedule === undefined && options.timezone !== undefined) {
    throw submitError("`timezone` requires a `schedule`.");
  }
  if (schedule !== undefined && delayMs > 0)
    throw submitError("A run cannot have both a `delay` and a `schedule`.");
  if (schedule !== undefined && (!isText(schedule) || schedule.trim().split(/\s+/).length !== 5)) {
    throw submitError('`schedule` must have five cron fields, such as "0 9 * * 1-5".');
  }
  if (!isText(timezone)) throw submitError('`timezone` must be a name such as "Europe/Oslo".');
  const caller = withTenant(principal, options.tenant);
  return {
    caller,
    tenant: callerIdentityOf(caller).tenant,
    messages,
    key,
    priority,
    delayMs,
    schedule: schedule === undefined ? undefined : { cron: schedule.trim(), timezone },
  };
};

/** Workers act as the principal in the ledger. */
const withTenant = (principal: Principal | undefined, tenant: string | undefined): Principal => {
  if (principal === undefined) {
    throw submitError(
      'The submitted run has no principal. Set a principal in Haft.open, such as { agent: "clerk", allow: ["*"] }, or with haft.as().',
    );
  }
  if (tenant === undefined) return principal;
  if (!isText(tenant)) throw submitError("`tenant` must be a string of 1 to 1,000 characters.");
  const ownTenant = callerIdentityOf(principal).tenant;
  // The submitter is the delegator, so it can wait for the run and cancel it.
  if (ownTenant === undefined) return Object.freeze({ ...principal, tenant, within: principal });
  if (ownTenant === tenant) return principal;
  throw submitError(
    `The caller belongs to the tenant "${ownTenant}", so it cannot submit runs for "${tenant}".`,
  );
};

/** The queue keeps jobs for a year. */
const maxSubmitDelayMs = 365 * 24 * 3_600_000;

const isText = (value: unknown): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= 1_000;

const readDelay = (delay: number | string | undefined): number => {
  if (delay === undefined) return 0;
  try {
    const millis =
      typeof delay === "number" ? delay : Duration.toMillis(Duration.fromInputUnsafe(delay as never));
    if (millis >= 0 && millis <= maxSubmitDelayMs) return millis;
  } catch {
    // Falls through to the error below.
  }
  throw submitError(
    '`delay` must be a number of milliseconds or a string such as "10 minutes", and at most one year.',
  );
};

const submitError = (message: string): ConfigurationError =>
  new ConfigurationError("invalid_config", message);

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
