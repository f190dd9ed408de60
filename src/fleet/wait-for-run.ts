import * as Effect from "effect/Effect";
import { checkFields } from "../json/check-fields.ts";
import { mayGoOn } from "../ledger/may-go-on.ts";
import type { AgentResponse } from "../words/agent.ts";
import { type ApprovalRecord, hasOpenQuestion } from "../words/approval.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { WaitOptions } from "../words/fleet.ts";
import { actingFor, type Principal } from "../words/principal.ts";
import type { RunRecord } from "../words/run-book.ts";
import { ask } from "./ask.ts";
import type { Connection } from "./connect.ts";
import { runsQueue, ticksQueue } from "./jobs.ts";
import { toResponse } from "./read-response.ts";
import { isSubmittedRun, jobIdOf } from "./run-id.ts";

/** A run as its caller sees it, and what persons are asked about it. */
export interface SeenRun {
  readonly run: RunRecord;
  readonly questions: readonly ApprovalRecord[];
  /** `rests` waits for persons; `over` has an end. */
  readonly state: "queued" | "running" | "rests" | "over";
}

/** Looking again is for a notice that was lost: soon where nothing says that there will be one. */
const longestMs = 5_000;
const shortestMs = 50;
const expectedMs = 1_000;

/** Resolves once the run has an end, or waits for a person, whoever goes on with it. */
export const waitFor = async (
  connection: Connection,
  caller: Principal | undefined,
  runId: string,
  options: WaitOptions,
): Promise<AgentResponse> => {
  checkFields("haft.wait", options, ["agent", "untilEnded", "signal"]);
  const { agent, untilEnded = false, signal } = options;
  const { ends } = connection;
  // Whoever submitted it here need not be asked who it is before there is anything to see.
  let isOwn = isSubmittedBy(connection, caller, runId);
  let isUnheard = isOwn && ends.isExpected(runId);
  let pauseMs = isUnheard ? expectedMs : shortestMs;
  let news: "heard" | "late" = "late";
  for (;;) {
    const next = ends.next(runId, pauseMs, signal);
    const mayRest = !isOwn || news === "heard" || (!isUnheard && (await connection.mayRest(runId)));
    if (mayRest) {
      const { run, questions, state } = await look(connection, caller, runId);
      if (state === "over" || (state === "rests" && !untilEnded)) return toResponse(run, questions, agent);
      isOwn = true;
    }
    isUnheard = false;
    news = await next;
    pauseMs = Math.min(longestMs, pauseMs * 2);
    signal?.throwIfAborted();
  }
};

const isSubmittedBy = ({ submitted }: Connection, caller: Principal | undefined, runId: string): boolean => {
  const submitter = submitted.get(runId);
  return submitter !== undefined && caller !== undefined && actingFor(submitter, caller) !== undefined;
};

/** To anybody but its own caller a run does not exist. */
export const look = async (
  { ledger, shared, queue }: Connection,
  caller: Principal | undefined,
  runId: string,
): Promise<SeenRun> => {
  const run = isSubmittedRun(runId) ? await ask(shared, ledger.runs.find(runId)) : undefined;
  if (
    run?.principal === undefined ||
    caller === undefined ||
    actingFor(run.principal, caller) === undefined
  ) {
    throw new ConfigurationError("invalid_config", `There is no run "${runId}" of this caller in the fleet.`);
  }
  if (run.status === "running") {
    return { run, questions: [], state: run.isHeld === true || run.turns > 0 ? "running" : "queued" };
  }
  if (!mayGoOn(run.status)) return { run, questions: [], state: "over" };
  // What failed may be tried again: it is over once nobody is to be woken for it.
  if (run.status === "failed") {
    const jobs = await queue.sql(`SELECT 1 FROM ${queue.schema}.job WHERE name = $1 AND id = $2::uuid`, [
      runsQueue,
      jobIdOf(runId),
    ]);
    return { run, questions: [], state: jobs.length > 0 ? "running" : "over" };
  }
  const asked = await ask(shared, ledger.approvals.list({ runId }));
  const questions = asked.filter(
    ({ status, expiresAt }) => status === "waiting" && (expiresAt === undefined || expiresAt > Date.now()),
  );
  const isWaiting = hasOpenQuestion(questions, Date.now());
  const isAnswered = asked.some(({ status }) => status === "answered");
  return { run, questions, state: isWaiting && !isAnswered ? "rests" : "running" };
};

/** Gives the run up, or its schedule. A worker in the midst of it is stopped by its next write, or its next heartbeat. */
export const cancelRun = async (
  { ledger, shared, jobs, queue }: Connection,
  caller: Principal | undefined,
  runId: string,
  by: string | undefined,
) => {
  const given = await ask(
    shared,
    Effect.gen(function* () {
      const run = yield* ledger.runs.find(runId);
      const isOwn =
        run?.principal !== undefined &&
        caller !== undefined &&
        actingFor(run.principal, caller) !== undefined;
      return isOwn ? yield* ledger.runs.giveUp(runId, by ?? caller.agent, Date.now()) : "unknown";
    }),
  );
  if (given !== "given-up") return given;
  // It is given up by now: a job that stays finds nothing to do.
  if (isSubmittedRun(runId)) await jobs.drop(runId).catch(() => {});
  else await queue.boss.unschedule(ticksQueue, runId).catch(() => {});
  return given;
};
