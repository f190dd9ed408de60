import { readAnswer } from "../agent/answer/read-answer.ts";
import { invocationsIn } from "../agent/conversation-calls.ts";
import { pausedText } from "../agent/unfinished-run.ts";
import type { Agent, AgentResponse } from "../words/agent.ts";
import type { ApprovalRecord, ApprovalRequest } from "../words/approval.ts";
import type { AssistantMessage } from "../words/message.ts";
import type { RunRecord } from "../words/run-book.ts";

/** What came of a run that another process went on with, as the ledger has it. */
export const toResponse = (
  run: RunRecord,
  questions: readonly ApprovalRecord[],
  agent: Agent | undefined,
): AgentResponse => {
  const { messages, given } = run;
  const said = messages.slice(given).findLast(({ role }) => role === "assistant") as
    | AssistantMessage
    | undefined;
  const at = said === undefined ? 0 : messages.lastIndexOf(said);
  const content = said === undefined ? "" : pausedText(messages.slice(0, at)) + said.content;
  const read =
    agent?.output === undefined || run.status !== "done"
      ? undefined
      : readAnswer(agent.output, { text: content }, undefined);
  return Object.freeze({
    content,
    ...(said?.parts === undefined ? {} : { parts: said.parts }),
    ...(read?.ok === true ? { output: read.value } : {}),
    toolsUsed: Object.freeze([...invocationsIn(messages.slice(given))]),
    status: run.status === "running" ? "pending" : run.status,
    ...(run.reason === undefined ? {} : { reason: run.reason }),
    agent: run.agent,
    context: Object.freeze([...messages]),
    pending: Object.freeze(questions.map(toRequest)),
    usage: run.usage,
    turns: run.turns,
    runId: run.runId,
  });
};

const toRequest = (record: ApprovalRecord): ApprovalRequest => ({
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
