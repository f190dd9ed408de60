import type { Agent, AgentResponse, RunStatus, ToolInvocation } from "../types/agent.ts";
import type { ApprovalRequest } from "../types/approval.ts";
import type { ContentPart } from "../types/content.ts";
import type { ToolError } from "../types/errors.ts";
import type { Change } from "../types/hydration.ts";
import type { Message } from "../types/message.ts";
import type { Usage } from "../types/model.ts";

/** Mutable state of a run; only the run loop changes it. */
export interface RunProgress {
  agent: Agent;
  readonly messages: Message[];
  readonly toolsUsed: ToolInvocation[];
  readonly callIds: Set<string>;
  usage: Usage;
  turns: number;
  text: string;
  corrections: number;
  readonly losses: Map<string, NonNullable<AgentResponse["losses"]>[number]>;
  /** Usage of a chat before the current answer; stop policies see one answer. */
  before: { readonly turns: number; readonly usage: Usage };
}

export const addUsage = (one: Usage, other: Usage): Usage => {
  const cached = (one.cachedTokens ?? 0) + (other.cachedTokens ?? 0);
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    ...(cached === 0 ? {} : { cachedTokens: cached }),
  };
};

export const subtractUsage = (one: Usage, other: Usage): Usage => {
  const cached = (one.cachedTokens ?? 0) - (other.cachedTokens ?? 0);
  return {
    inputTokens: one.inputTokens - other.inputTokens,
    outputTokens: one.outputTokens - other.outputTokens,
    ...(cached === 0 ? {} : { cachedTokens: cached }),
  };
};

export interface RunEnding {
  readonly status: RunStatus;
  readonly content?: string;
  readonly parts?: readonly ContentPart[] | undefined;
  readonly reason?: string;
  readonly pending?: readonly ApprovalRequest[];
  readonly answer?: { readonly value: unknown; readonly changes: readonly Change[] };
}

export const toAgentResponse = (runId: string, progress: RunProgress, ending: RunEnding): AgentResponse => {
  const { status, content = "", parts, reason, pending = [], answer } = ending;
  const { agent, messages, toolsUsed, usage, turns, losses } = progress;
  return Object.freeze({
    content,
    ...(parts === undefined ? {} : { parts }),
    ...(answer === undefined ? {} : { output: answer.value }),
    ...(answer === undefined || answer.changes.length === 0 ? {} : { outputChanges: answer.changes }),
    ...(losses.size === 0 ? {} : { losses: Object.freeze([...losses.values()]) }),
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
