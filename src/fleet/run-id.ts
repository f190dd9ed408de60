import { randomUUID } from "node:crypto";
import { hashJson } from "../base/json/canonical-json.ts";
import { callerIdentityOf, type Principal } from "../types/principal.ts";
import { runKindOf, toRunId, unmarkedRunId } from "../types/run-store.ts";

export const newRunId = (): string => toRunId("job", randomUUID());

export const keyedRunId = (caller: Principal, key: string, kind: "job" | "schedule" = "job"): string => {
  const { agent, user, tenant } = callerIdentityOf(caller);
  return toRunId(kind, toUuid(hashJson(["haft fleet", tenant ?? null, agent, user ?? null, key])));
};

/** Cannot collide with a caller's key. */
export const dueRunId = (caller: Principal, schedule: string, minute: number): string => {
  const { agent, user, tenant } = callerIdentityOf(caller);
  const parts = ["haft schedule", tenant ?? null, agent, user ?? null, schedule, minute];
  return toRunId("job", toUuid(hashJson(parts)));
};

/** A job that is sent twice exists once. */
export const queueJobIdOf = (runId: string): string => unmarkedRunId("job", runId);

export const runIdOfQueueJob = (jobId: string): string => toRunId("job", jobId);

const uuidPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

export const isSubmittedRun = (runId: unknown): runId is string =>
  typeof runId === "string" && runKindOf(runId) === "job" && uuidPattern.test(queueJobIdOf(runId));

/** UUID version 8: custom bits. */
const toUuid = (hash: string): string =>
  [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join("-");
