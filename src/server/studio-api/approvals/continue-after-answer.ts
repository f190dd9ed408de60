import { randomUUID } from "node:crypto";
import * as Context from "effect/Context";
import { findContinuation } from "../../../ledger/find-continuation.ts";
import { type ApprovalRecord, hasOpenApproval } from "../../../types/approval.ts";
import type { Principal } from "../../../types/principal.ts";
import { type RunRecord, RunWaker, runKindRulesOf } from "../../../types/run-store.ts";
import { chatOfRun } from "../agents/chat-of-run.ts";
import { streamRunToChat } from "../agents/stream-run-to-chat.ts";
import { currentPrincipalOf, resumeProblem, studioAgentOf } from "../run-agent.ts";
import type { AnswerResult } from "../schemas/approvals.ts";
import type { StudioAgentOptions } from "../studio-options.ts";
import { runLedger, type StudioServices } from "../studio-services.ts";

type ContinueResult = Pick<AnswerResult, "continuesIn" | "message">;

/** Resumes the call in this process if possible, else says where it continues. */
export const continueAfterAnswer = async (
  studio: StudioServices,
  record: ApprovalRecord,
): Promise<ContinueResult> => {
  const { runId } = record;
  const { ledger, now } = studio;
  const approvals = await runLedger(ledger.approvals.list({ runId }));
  const openCount = approvals.filter((each) => hasOpenApproval([each], now())).length;
  const run = await runLedger(ledger.runs.find(runId));
  const continuation = findContinuation(runId, run, openCount);
  switch (continuation) {
    case "session":
    case "chat":
    case "worker":
      if (continuation === "worker") Context.get(studio.shared.tools.context, RunWaker)?.(runId);
      return {
        continuesIn: continuation,
        message: `The run is resumed by ${runKindRulesOf(runId).resumer}.`,
      };
    case "client":
      return continueCallAfterAnswer(studio, record);
    case "approvals":
      return { continuesIn: "later", message: approvalsLeftMessage(openCount) };
    case "holder":
      return { continuesIn: "later", message: "The process that holds the run resumes it." };
    case "none":
      return { continuesIn: "none", message: historyNotStoredMessage };
    case "caller":
      return await resumeHere(studio, record, run!);
  }
};

const resumeHere = async (
  studio: StudioServices,
  record: ApprovalRecord,
  run: RunRecord,
): Promise<ContinueResult> => {
  const agent = studioAgentOf(studio, run);
  if (agent === undefined) {
    const message = `This Studio does not have the agent ${run.agent}. Resume the run with haft resume ${run.runId} FILE.`;
    return { continuesIn: "later", message };
  }
  const why = resumeProblem(studio, record, agent);
  if (why !== undefined) return { continuesIn: "later", message: cannotContinueMessage(why) };
  await resumeRun(studio, run, agent, currentPrincipalOf(studio, run.principal ?? record.principal));
  return { continuesIn: "here", message: "Run resumed." };
};

const continueCallAfterAnswer = (studio: StudioServices, record: ApprovalRecord): ContinueResult => {
  const why = resumeProblem(studio, record, undefined);
  if (why !== undefined) return { continuesIn: "client", message: cannotContinueMessage(why) };
  const { id, runId, principal } = record;
  // The result is recorded in the ledger.
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
  left === 1 ? "Another call of the run needs approval." : `${left} other calls of the run need approval.`;
const cannotContinueMessage = (why: string): string =>
  `The call cannot be resumed here: ${why}. Resume it in a process that has the same tools.`;
const historyNotStoredMessage = "The messages of the run are not stored, so it cannot be resumed.";
