import * as Effect from "effect/Effect";
import { checkFields } from "../base/json/check-fields.ts";
import { isResumable } from "../ledger/is-resumable.ts";
import type { AgentResponse } from "../types/agent.ts";
import { type ApprovalRecord, hasOpenApproval } from "../types/approval.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { WaitOptions } from "../types/fleet.ts";
import { type Principal, resolveActingPrincipal } from "../types/principal.ts";
import type { RunRecord } from "../types/run-store.ts";
import type { FleetConnection } from "./connect-fleet.ts";
import { isSubmittedRun, queueJobIdOf } from "./run-id.ts";
import { runsQueue, ticksQueue } from "./run-jobs.ts";
import { runOrThrow } from "./run-or-throw.ts";
import { toFleetRunResponse } from "./to-fleet-run-response.ts";

export interface FleetRunView {
  readonly run: RunRecord;
  readonly approvals: readonly ApprovalRecord[];
  /** `rests`: waits for approval. `over`: has ended. */
  readonly state: "queued" | "running" | "rests" | "over";
}

/** Polling covers lost notices. */
const maxWaitPollMs = 5_000;
const minWaitPollMs = 50;
const notifiedWaitPollMs = 1_000;

/** Resolves when the run has ended or waits for approval. */
export const waitForRun = async (
  connection: FleetConnection,
  caller: Principal | undefined,
  runId: string,
  options: WaitOptions,
): Promise<AgentResponse> => {
  checkFields("haft.wait", options, ["agent", "untilEnded", "signal"]);
  const { agent, untilEnded = false, signal } = options;
  const { ends } = connection;
  // The submitter needs no access check before the first read.
  let isOwn = isSubmittedBy(connection, caller, runId);
  let isNoticeExpected = isOwn && ends.isExpected(runId);
  let pauseMs = isNoticeExpected ? notifiedWaitPollMs : minWaitPollMs;
  let notice: "notified" | "late" = "late";
  for (;;) {
    const next = ends.next(runId, pauseMs, signal);
    const shouldRead =
      !isOwn || notice === "notified" || (!isNoticeExpected && (await connection.mayBeInactive(runId)));
    if (shouldRead) {
      const { run, approvals: questions, state } = await readFleetRun(connection, caller, runId);
      if (state === "over" || (state === "rests" && !untilEnded))
        return toFleetRunResponse(run, questions, agent);
      isOwn = true;
    }
    isNoticeExpected = false;
    notice = await next;
    pauseMs = Math.min(maxWaitPollMs, pauseMs * 2);
    signal?.throwIfAborted();
  }
};

const isSubmittedBy = (
  { submitters }: FleetConnection,
  caller: Principal | undefined,
  runId: string,
): boolean => {
  const submitter = submitters.get(runId);
  return (
    submitter !== undefined && caller !== undefined && resolveActingPrincipal(submitter, caller) !== undefined
  );
};

/** Callers can only see their own runs and runs delegated to them. */
export const readFleetRun = async (
  { ledger, shared, queue }: FleetConnection,
  caller: Principal | undefined,
  runId: string,
): Promise<FleetRunView> => {
  const run = isSubmittedRun(runId) ? await runOrThrow(shared, ledger.runs.find(runId)) : undefined;
  if (
    run?.principal === undefined ||
    caller === undefined ||
    resolveActingPrincipal(run.principal, caller) === undefined
  ) {
    throw new ConfigurationError("invalid_config", `This caller has no run "${runId}" in the fleet.`);
  }
  if (run.status === "running") {
    return { run, approvals: [], state: run.isHeld === true || run.turns > 0 ? "running" : "queued" };
  }
  if (!isResumable(run.status)) return { run, approvals: [], state: "over" };
  // A failed run may be retried: it is over when no job is left.
  if (run.status === "failed") {
    const jobs = await queue.sql(`SELECT 1 FROM ${queue.schema}.job WHERE name = $1 AND id = $2::uuid`, [
      runsQueue,
      queueJobIdOf(runId),
    ]);
    return { run, approvals: [], state: jobs.length > 0 ? "running" : "over" };
  }
  const asked = await runOrThrow(shared, ledger.approvals.list({ runId }));
  const questions = asked.filter(
    ({ status, expiresAt }) => status === "waiting" && (expiresAt === undefined || expiresAt > Date.now()),
  );
  const isWaiting = hasOpenApproval(questions, Date.now());
  const isAnswered = asked.some(({ status }) => status === "answered");
  return { run, approvals: questions, state: isWaiting && !isAnswered ? "rests" : "running" };
};

/** A worker that runs it stops at its next write or heartbeat. */
export const cancelFleetRun = async (
  { ledger, shared, jobs, queue }: FleetConnection,
  caller: Principal | undefined,
  runId: string,
  by: string | undefined,
) => {
  const result = await runOrThrow(
    shared,
    Effect.gen(function* () {
      const run = yield* ledger.runs.find(runId);
      const isOwn =
        run?.principal !== undefined &&
        caller !== undefined &&
        resolveActingPrincipal(run.principal, caller) !== undefined;
      return isOwn ? yield* ledger.runs.cancel(runId, by ?? caller.agent, Date.now()) : "unknown";
    }),
  );
  if (result !== "given-up") return result;
  // A remaining job does nothing.
  if (isSubmittedRun(runId)) await jobs.drop(runId).catch(() => {});
  else await queue.boss.unschedule(ticksQueue, runId).catch(() => {});
  return result;
};
