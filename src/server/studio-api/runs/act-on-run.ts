import * as Effect from "effect/Effect";
import { type ReplayRuntime, replayApprovalAnswer, replayRun } from "../../../agent/experiments/replay.ts";
import { maskLedgerText } from "../../../ledger/mask-entry.ts";
import { RunRecorder } from "../../../pipeline/recorder.ts";
import { forkInRuntime, valueOrThrow } from "../../../runtime/run-in-runtime.ts";
import { Approver } from "../../../types/approval.ts";
import type { Principal } from "../../../types/principal.ts";
import { HttpError } from "../../request/http-error.ts";
import type { ApiContext } from "../api-context.ts";
import { resumeRun } from "../approvals/continue-after-answer.ts";
import { callerForRun } from "../permissions/principals.ts";
import { definedFields, toText } from "../read-query.ts";
import { studioAgentOf, toolsOfAgent } from "../run-agent.ts";
import type { ReplayBody, ReplayResult, RunAction } from "../schemas/runs.ts";
import type { Text } from "../schemas/shared.ts";
import { runLedger, type StudioServices } from "../studio-services.ts";
import { findRun, resumeRunProblem } from "./show-run.ts";

export const resumeRunAction = async (context: ApiContext): Promise<RunAction> => {
  const { studio, params } = context;
  const run = await findRun(studio, params.id!);
  const { runId } = run;
  const approvals = await runLedger(studio.ledger.approvals.list({ runId }));
  const why = resumeRunProblem(studio, run, approvals);
  if (why !== undefined) throw new HttpError(409, "cannot_resume", why);
  await resumeRun(studio, run, studioAgentOf(studio, run)!, callerForRun(context, run.principal));
  return { runId, done: true, message: "Run resumed." };
};

export const cancelRunAction = async (context: ApiContext): Promise<RunAction> => {
  const { studio, person, params } = context;
  const { runId, status, principal } = await findRun(studio, params.id!);
  callerForRun(context, principal);
  const given = await runLedger(studio.ledger.runs.cancel(runId, person.name, studio.now()));
  if (given === "given-up") return { runId, done: true, message: "Run cancelled." };
  throw new HttpError(409, "ended", `The run has already ended: ${status}.`);
};

export const replayRunAction = async (context: ApiContext<ReplayBody>): Promise<ReplayResult> => {
  const { studio, params, body } = context;
  const { execute = "read-only" } = body;
  const run = await findRun(studio, params.id!);
  const principal = callerForRun(context, run.principal);
  if (run.messages.length === 0) {
    const message =
      "The messages of this run are not stored, so it cannot be replayed. Set config.ledger.keepPayloads to store those of later runs.";
    throw new HttpError(410, "messages_not_stored", message);
  }
  const result = await replayRun({
    run,
    haft: replayRuntime(studio, studioAgentOf(studio, run), principal),
    execute,
  });
  const text = (given: string): Text => toText(maskLedgerText(given, studio.redactor));
  return {
    runId: result.runId,
    summary: result.summary,
    calls: result.calls.map(({ callId, tool, agent, status, why, before, after, diff }) => ({
      callId,
      tool,
      status,
      ...definedFields({ agent, reason: why }),
      ...(before === undefined ? {} : { before: text(before) }),
      ...(after === undefined ? {} : { after: text(after) }),
      diff: text(diff),
    })),
  };
};

/** Replayed calls are recorded, and request no approval. */
const replayRuntime = (
  { shared, ledger }: StudioServices,
  agentOptions: ReturnType<typeof studioAgentOf>,
  caller: Principal | undefined,
): ReplayRuntime => {
  const { tools } = shared;
  const approver = { ask: () => Effect.succeed(replayApprovalAnswer) };
  const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
    forkInRuntime(shared, Effect.provideService(effect, Approver, approver), valueOrThrow);
  const log: ReplayRuntime["log"] = (query) => runLedger(ledger.entries(query));
  if (agentOptions === undefined) {
    return { log, turn: (calls, options = {}) => run(tools.turn(calls, { principal: caller, ...options })) };
  }
  const { agent } = agentOptions;
  const byWireName = toolsOfAgent(shared, agentOptions);
  return {
    log,
    turn: (calls, { layers = [], correlationId, scope } = {}) =>
      run(
        tools.step(calls, {
          scope: scope ?? { id: tools.newId("run"), agent: agent.name, tally: new RunRecorder() },
          layers: { run: layers, agent: agent.layers },
          shown: { byWireName },
          principal: caller,
          correlationId,
        }),
      ),
  };
};
