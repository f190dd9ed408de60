import { randomUUID } from "node:crypto";
import * as Context from "effect/Context";
import { mayGoOn } from "../../ledger/may-go-on.ts";
import { type ApprovalRecord, hasOpenQuestion } from "../../words/approval.ts";
import { isChatRun, isJobRun, isSessionRun } from "../../words/run-book.ts";
import { RunWaker } from "../../words/run-waker.ts";
import { agentOf, callerToday, whyNotHere } from "../acting.ts";
import type { AnswerResult } from "../words/approvals.ts";
import { ask, type StudioWorld } from "../world.ts";

type GoingOn = Pick<AnswerResult, "goesOn" | "message">;

/** After an answer, the call goes on: here, where its agent and its tools are here, else wherever they are. */
export const goOn = async (world: StudioWorld, record: ApprovalRecord): Promise<GoingOn> => {
  const { runId } = record;
  const { ledger, now } = world;
  const asked = await ask(ledger.approvals.list({ runId }));
  const left = asked.filter((each) => hasOpenQuestion([each], now())).length;
  if (isSessionRun(runId)) return { goesOn: "session", message: bySession };
  if (isChatRun(runId)) return { goesOn: "chat", message: byChat };
  if (isJobRun(runId)) {
    if (left === 0) Context.get(world.shared.tools.context, RunWaker)?.(runId);
    return { goesOn: "worker", message: left === 0 ? byWorker : waits(left) };
  }
  const run = await ask(ledger.runs.find(runId));
  if (run === undefined) return goOnWithCall(world, record);
  if (left > 0) return { goesOn: "later", message: waits(left) };
  const agent = agentOf(world, run);
  if (agent === undefined) {
    const message = `The agent ${run.agent} is not in this Studio: haft resume ${runId} FILE goes on with it.`;
    return { goesOn: "later", message };
  }
  if (run.isHeld === true || !mayGoOn(run.status)) {
    return { goesOn: "later", message: "The process that has its run goes on with it." };
  }
  const why = whyNotHere(world, record, agent);
  if (why !== undefined) return { goesOn: "later", message: notHere(why) };
  if (run.messages.length === 0) return { goesOn: "nobody", message: forgotten };
  resumeRun(world, runId, () =>
    world.haft
      .as(callerToday(world, run.principal ?? record.principal))
      .run(agent.agent, undefined, { ...agent.run, resume: runId }),
  );
  return { goesOn: "here", message: "Its run goes on now." };
};

/** A call that was made on its own. A client that asks for it once more is told what came of it. */
const goOnWithCall = (world: StudioWorld, record: ApprovalRecord): GoingOn => {
  const why = whyNotHere(world, record, undefined);
  if (why !== undefined) return { goesOn: "client", message: notHere(why) };
  const { id, runId, principal } = record;
  resumeRun(world, runId, () => world.haft.as(callerToday(world, principal)).resume(id));
  return { goesOn: "here", message: "The call runs now." };
};

/** Nobody waits for it: what comes of it is in the ledger. */
export const resumeRun = (world: StudioWorld, runId: string, begin: () => Promise<unknown>): void => {
  begin().catch((error: unknown) => world.options.onError(error, `${runId} ${randomUUID()}`));
};

const waits = (left: number): string =>
  left === 1 ? "One more of its calls waits for an answer." : `${left} more of its calls wait for answers.`;
const bySession = "The loop that drives its session goes on with it.";
const byChat = "Its chat goes on with it.";
const byWorker = "A worker of the fleet goes on with it.";
const notHere = (why: string): string =>
  `It cannot go on here: ${why}. Whoever has the same tools goes on with it.`;
const forgotten = "What was said in its run is not kept, so nobody can go on with it.";
