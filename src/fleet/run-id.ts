import { randomUUID } from "node:crypto";
import { hashJson } from "../base/json/hash.ts";
import { callerIdentityOf, type Principal } from "../types/principal.ts";
import { isJobRun, jobRunPrefix } from "../types/run-store.ts";

/** Of a run without a key. */
export const newRunId = (): string => jobRunPrefix + randomUUID();

/** The same run for the same caller and key, whoever submits it and however often. */
export const keyedRunId = (caller: Principal, key: string, prefix = jobRunPrefix): string => {
  const { agent, user, tenant } = callerIdentityOf(caller);
  return prefix + toUuid(hashJson(["haft fleet", tenant ?? null, agent, user ?? null, key]));
};

/** The run of a schedule for one minute. No key that a caller thinks of is the same. */
export const dueRunId = (caller: Principal, schedule: string, minute: number): string => {
  const { agent, user, tenant } = callerIdentityOf(caller);
  return (
    jobRunPrefix + toUuid(hashJson(["haft schedule", tenant ?? null, agent, user ?? null, schedule, minute]))
  );
};

/** The id of the one job that wakes a run: sent twice, it is still one. */
export const queueJobIdOf = (runId: string): string => runId.slice(jobRunPrefix.length);

export const runIdOfQueueJob = (jobId: string): string => jobRunPrefix + jobId;

const uuidPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Whether a worker could ever be woken for it. */
export const isSubmittedRun = (runId: unknown): runId is string =>
  typeof runId === "string" && isJobRun(runId) && uuidPattern.test(queueJobIdOf(runId));

/** A version-8 uuid: its bits are ours. */
const toUuid = (hash: string): string =>
  [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join("-");
