import * as Duration from "effect/Duration";
import { readRun } from "../agent/read-run.ts";
import { checkFields } from "../base/json/check-fields.ts";
import type { Agent, RunInput } from "../types/agent.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { RunPriority, SubmitOptions } from "../types/fleet.ts";
import type { Message } from "../types/message.ts";
import { callerIdentityOf, type Principal } from "../types/principal.ts";
import { priorities } from "./fair-queueing.ts";

export interface ParsedSubmission {
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
