import type { Agent, AgentResponse, RunStatus, ToolInvocation } from "../words/agent.ts";
import type { ApprovalRequest } from "../words/approval.ts";
import type { ToolError } from "../words/errors.ts";
import type { Message } from "../words/message.ts";
import type { Usage } from "../words/model.ts";

/** What a run has come to so far. Changed by nobody but the loop. */
export interface RunProgress {
  agent: Agent;
  readonly messages: Message[];
  readonly toolsUsed: ToolInvocation[];
  readonly taken: Set<string>;
  usage: Usage;
  turns: number;
  /** What the model said last. */
  text: string;
  /** What came before the present answer of a chat: a stop policy is asked about one answer. */
  before: { readonly turns: number; readonly usage: Usage };
}

export const add = (one: Usage, other: Usage): Usage => {
  const cached = (one.cachedTokens ?? 0) + (other.cachedTokens ?? 0);
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    ...(cached === 0 ? {} : { cachedTokens: cached }),
  };
};

export const less = (one: Usage, other: Usage): Usage => {
  const cached = (one.cachedTokens ?? 0) - (other.cachedTokens ?? 0);
  return {
    inputTokens: one.inputTokens - other.inputTokens,
    outputTokens: one.outputTokens - other.outputTokens,
    ...(cached === 0 ? {} : { cachedTokens: cached }),
  };
};

/** How a run ends. */
export interface RunEnding {
  readonly status: RunStatus;
  readonly content?: string;
  readonly reason?: string;
  readonly pending?: readonly ApprovalRequest[];
}

export const toResponse = (runId: string, progress: RunProgress, ending: RunEnding): AgentResponse => {
  const { status, content = "", reason, pending = [] } = ending;
  const { agent, messages, toolsUsed, usage, turns } = progress;
  return Object.freeze({
    content,
    toolsUsed: Object.freeze([...toolsUsed]),
    status,
    ...(reason === undefined ? {} : { reason }),
    agent: agent.name,
    context: Object.freeze([...messages]),
    pending,
    usage,
    turns,
    runId,
  });
};

export const withResponse = (error: ToolError, response: AgentResponse): ToolError =>
  Object.assign(error, { response });
