import { randomUUID } from "node:crypto";
import * as Context from "effect/Context";
import { isResumable } from "../../../ledger/is-resumable.ts";
import { type ApprovalRecord, hasOpenApproval } from "../../../types/approval.ts";
import type { Principal } from "../../../types/principal.ts";
import { isChatRun, isJobRun, isSessionRun, type RunRecord } from "../../../types/run-store.ts";
import { RunWaker } from "../../../types/run-waker.ts";
import { chatOfRun } from "../agents/chat-of-run.ts";
import { streamRunToChat } from "../agents/stream-run-to-chat.ts";
import { currentPrincipalOf, resumeProblem, studioAgentOf } from "../run-agent.ts";
import type { AnswerResult } from "../schemas/approvals.ts";
import type { StudioAgentOptions } from "../studio-options.ts";
import { runLedger, type StudioServices } from "../studio-services.ts";

type ContinueResult = Pick<AnswerResult, "continuesIn" | "message">;

/** Resumes the call here if possible, else reports where it continues. */
export const continueAfterAnswer = async (
  studio: StudioServices,
  record: ApprovalRecord,
): Promise<ContinueResult> => {
  const { runId } = record;
  const { ledger, now } = studio;
  const approvals = await runLedger(ledger.approvals.list({ runId }));
  const openCount = approvals.filter((each) => hasOpenApproval([each], now())).length;
  if (isSessionRun(runId)) return { continuesIn: "session", message: sessionContinuesMessage };
  if (isChatRun(runId)) return { continuesIn: "chat", message: chatContinuesMessage };
  if (isJobRun(runId)) {
    if (openCount === 0) Context.get(studio.shared.tools.context, RunWaker)?.(runId);
    return {
      continuesIn: "worker",
      message: openCount === 0 ? workerContinuesMessage : approvalsLeftMessage(openCount),
    };
  }
  const run = await runLedger(ledger.runs.find(runId));
  if (run === undefined) return continueCallAfterAnswer(studio, record);
  if (openCount > 0) return { continuesIn: "later", message: approvalsLeftMessage(openCount) };
  const agent = studioAgentOf(studio, run);
  if (agent === undefined) {
    const message = `The agent ${run.agent} is not in this Studio: haft resume ${runId} FILE goes on with it.`;
    return { continuesIn: "later", message };
  }
  if (run.isHeld === true || !isResumable(run.status)) {
    return { continuesIn: "later", message: "The process that has its run goes on with it." };
  }
  const why = resumeProblem(studio, record, agent);
  if (why !== undefined) return { continuesIn: "later", message: cannotContinueMessage(why) };
  if (run.messages.length === 0) return { continuesIn: "none", message: historyNotStoredMessage };
  await resumeRun(studio, run, agent, currentPrincipalOf(studio, run.principal ?? record.principal));
  return { continuesIn: "here", message: "Run resumed." };
};

/** A call outside of runs. */
const continueCallAfterAnswer = (studio: StudioServices, record: ApprovalRecord): ContinueResult => {
  const why = resumeProblem(studio, record, undefined);
  if (why !== undefined) return { continuesIn: "client", message: cannotContinueMessage(why) };
  const { id, runId, principal } = record;
  // The result goes to the ledger.
  studio.haft
    .as(currentPrincipalOf(studio, principal))
    .resume(id)
    .catch((error: unknown) => studio.options.onError(error, `${runId} ${randomUUID()}`));
  return { continuesIn: "here", message: "Call resumed." };
};

export const resumeRun = async (
  studio: StudioServices,
  run: RunRecord,
  agent: StudioAgentOptions,
  caller: Principal | undefined,
): Promise<void> => {
  const chat = (await chatOfRun(studio, agent, run)) ?? studio.chats.open(agent);
  if (chat.isLive()) return;
  const haft = caller === undefined ? studio.haft : studio.haft.as(caller);
  streamRunToChat(studio, chat, (signal) =>
    haft.stream(agent.agent, undefined, { ...agent.run, resume: run.runId, signal }),
  );
};

const approvalsLeftMessage = (left: number): string =>
  left === 1 ? "One more of its calls waits for an answer." : `${left} more of its calls wait for answers.`;
const sessionContinuesMessage = "The loop that drives its session goes on with it.";
const chatContinuesMessage = "Its chat goes on with it.";
const workerContinuesMessage = "A worker of the fleet goes on with it.";
const cannotContinueMessage = (why: string): string =>
  `It cannot go on here: ${why}. Whoever has the same tools goes on with it.`;
const historyNotStoredMessage = "What was said in its run is not kept, so nobody can go on with it.";
