import { invocationsIn, pausedText } from "../agent/conversation-calls.ts";
import { parseModelAnswer } from "../agent/parse-model-answer.ts";
import type { Agent, AgentResponse } from "../types/agent.ts";
import type { ApprovalRecord, ApprovalRequest } from "../types/approval.ts";
import type { AssistantMessage } from "../types/message.ts";
import type { RunRecord } from "../types/run-store.ts";

export const toFleetRunResponse = (
  run: RunRecord,
  approvals: readonly ApprovalRecord[],
  agent: Agent | undefined,
): AgentResponse => {
  const { messages, given } = run;
  const lastReply = messages.slice(given).findLast(({ role }) => role === "assistant") as
    | AssistantMessage
    | undefined;
  const at = lastReply === undefined ? 0 : messages.lastIndexOf(lastReply);
  const content = lastReply === undefined ? "" : pausedText(messages.slice(0, at)) + lastReply.content;
  const read =
    agent?.output === undefined || run.status !== "done"
      ? undefined
      : parseModelAnswer(agent.output, { text: content }, undefined);
  return Object.freeze({
    content,
    ...(lastReply?.parts === undefined ? {} : { parts: lastReply.parts }),
    ...(read?.ok === true ? { output: read.value } : {}),
    toolsUsed: Object.freeze([...invocationsIn(messages.slice(given))]),
    status: run.status === "running" ? "pending" : run.status,
    ...(run.reason === undefined ? {} : { reason: run.reason }),
    agent: run.agent,
    context: Object.freeze([...messages]),
    pending: Object.freeze(approvals.map(toApprovalRequest)),
    usage: run.usage,
    turns: run.turns,
    runId: run.runId,
  });
};

const toApprovalRequest = (record: ApprovalRecord): ApprovalRequest => ({
  id: record.id,
  callId: record.callId,
  runId: record.runId,
  tool: record.tool,
  principal: record.principal,
  input: record.input,
  reason: record.reason,
  askedAt: record.askedAt,
  ...(record.expiresAt === undefined ? {} : { expiresAt: record.expiresAt }),
  ...(record.trace === undefined ? {} : { trace: record.trace }),
  ...(record.waitsFor === undefined ? {} : { waitsFor: record.waitsFor }),
});
