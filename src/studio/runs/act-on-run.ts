import * as Effect from "effect/Effect";
import { RunRecorder } from "../../call/recorder.ts";
import { notAsked, type ReplayRuntime, replayRun } from "../../experiment/replay.ts";
import { masked } from "../../ledger/masked.ts";
import { orThrow } from "../../runtime/cancelled.ts";
import { forkIn } from "../../runtime/run-in.ts";
import { Approver, hasOpenQuestion } from "../../words/approval.ts";
import type { Principal } from "../../words/principal.ts";
import { agentOf, toolsOfAgent } from "../acting.ts";
import { resumeRun } from "../approvals/go-on.ts";
import { given } from "../calls/call-line.ts";
import { ApiRefusal } from "../refused.ts";
import { actingFor } from "../rights/principals.ts";
import { toText } from "../text.ts";
import type { Visit } from "../visit.ts";
import type { ReplayBody, ReplayResult, RunAction } from "../words/runs.ts";
import type { Text } from "../words/shared.ts";
import { ask, type StudioWorld } from "../world.ts";
import { findRun, whyNotResumed } from "./show-run.ts";

/** Goes on with a run whose questions are answered, or whose process ended. What comes of it is in the ledger. */
export const resume = async (visit: Visit): Promise<RunAction> => {
  const { world, params } = visit;
  const run = await findRun(world, params.id!);
  const { runId } = run;
  const asked = await ask(world.ledger.approvals.list({ runId }));
  const why = whyNotResumed(world, run, hasOpenQuestion(asked, world.now()));
  if (why !== undefined) throw new ApiRefusal(409, "cannot_resume", why);
  const agent = agentOf(world, run)!;
  const caller = actingFor(visit, run.principal);
  const haft = caller === undefined ? world.haft : world.haft.as(caller);
  resumeRun(world, runId, () => haft.run(agent.agent, undefined, { ...agent.run, resume: runId }));
  return { runId, done: true, message: "It goes on now." };
};

/** Ends a run that nobody will go on with, under the name of whoever said so. */
export const giveUp = async ({ world, person, params }: Visit): Promise<RunAction> => {
  const { runId, status } = await findRun(world, params.id!);
  const given = await ask(world.ledger.runs.giveUp(runId, person.name, world.now()));
  if (given === "given-up") return { runId, done: true, message: "It was given up." };
  throw new ApiRefusal(409, "ended", `It is over already: ${status}.`);
};

/** Makes the calls of a run again with today's tools, and says what its model would be told that is different. */
export const replay = async (visit: Visit): Promise<ReplayResult> => {
  const { world, params, body } = visit;
  const { execute = "read-only" } = body as ReplayBody;
  const run = await findRun(world, params.id!);
  const principal = actingFor(visit, run.principal);
  if (run.messages.length === 0) {
    const message =
      "What was said in it is not kept, so nothing can be made again. config.ledger.keepPayloads keeps it.";
    throw new ApiRefusal(410, "forgotten", message);
  }
  const result = await replayRun({
    run,
    haft: replayRuntime(world, agentOf(world, run), principal),
    execute,
  });
  const text = (given: string): Text => toText(masked(given, world.redactor));
  return {
    runId: result.runId,
    summary: result.summary,
    calls: result.calls.map(({ callId, tool, agent, status, why, before, after, diff }) => ({
      callId,
      tool,
      status,
      ...given({ agent, why }),
      ...(before === undefined ? {} : { before: text(before) }),
      ...(after === undefined ? {} : { now: text(after) }),
      diff: text(diff),
    })),
  };
};

/** Nobody is asked to allow what is only tried out, but whatever runs is on record. */
const replayRuntime = (
  { shared }: StudioWorld,
  known: ReturnType<typeof agentOf>,
  caller: Principal | undefined,
): ReplayRuntime => {
  const { tools } = shared;
  const desk = { ask: () => Effect.succeed(notAsked) };
  const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
    forkIn(shared, Effect.provideService(effect, Approver, desk), orThrow);
  if (known === undefined) {
    return { turn: (calls, options = {}) => run(tools.turn(calls, { principal: caller, ...options })) };
  }
  const { agent } = known;
  const byWireName = toolsOfAgent(shared, known);
  return {
    turn: (calls, { layers = [], correlationId } = {}) =>
      run(
        tools.step(calls, {
          scope: { id: tools.newId("run"), agent: agent.name, tally: new RunRecorder() },
          layers: { run: layers, agent: agent.layers },
          shown: { byWireName },
          principal: caller,
          correlationId,
        }),
      ),
  };
};
