import type { Agent, AgentResponse, OutputFormat, RunStatus, ToolInvocation } from "../types/agent.ts";
import type { ApprovalRequest } from "../types/approval.ts";
import type { ToolError } from "../types/errors.ts";
import type { Change, RepairMode } from "../types/hydration.ts";
import type { AssistantMessage, ContentPart, Message, ToolMessage } from "../types/message.ts";
import type { FinishReason, ModelReply, Usage } from "../types/model.ts";
import type { Reply } from "../types/outcome.ts";
import { type AnswerReading, parseModelAnswer, readFinalValue, toCorrection } from "./parse-model-answer.ts";

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

export interface ExpectedAnswer {
  readonly form: OutputFormat;
  readonly repair: RepairMode | undefined;
}

export type ModelStop = Pick<ModelReply, "finish" | "nulls" | "parts">;

const maxCorrections = 2;

export const endWithReply = (
  expectedAnswer: ExpectedAnswer | undefined,
  progress: RunProgress,
  { finish, nulls, parts }: ModelStop,
): RunEnding | undefined => {
  const { text: content } = progress;
  const isSilent = isBlankText(content) && parts === undefined;
  const reason =
    cutOffReason(finish) ?? (expectedAnswer === undefined && isSilent ? emptyReplyReason : undefined);
  if (reason !== undefined) return { status: "stopped", content, parts, reason };
  if (expectedAnswer === undefined) return { status: "done", content, parts };
  const read = parseModelAnswer(
    expectedAnswer.form,
    { text: content, ...(nulls && { nulls }) },
    expectedAnswer.repair,
  );
  if (read.ok) return { ...answeredEnding(content, read), parts };
  if (progress.corrections >= maxCorrections) {
    const tries = `After ${maxCorrections + 1} requests the model's answer does not match`;
    return { status: "stopped", content, reason: `${tries}: ${read.problem}` };
  }
  progress.corrections += 1;
  progress.messages.push({ role: "user", content: toCorrection(expectedAnswer.form, read.problem) });
  return undefined;
};

export const endWithValue = (
  expectedAnswer: ExpectedAnswer | undefined,
  { text: content, json, parts }: FinalAnswer,
): RunEnding => {
  if (expectedAnswer === undefined) return { status: "done", content, parts };
  const read = readFinalValue(expectedAnswer.form, json);
  if (read.ok) return { ...answeredEnding(content, read), parts };
  const reason = `A tool ended the run with a value that does not fit the agent's \`output\`: ${read.problem}`;
  return { status: "stopped", content, parts, reason };
};

interface FinalAnswer {
  readonly text: string;
  readonly json: string;
  readonly parts?: ToolMessage["parts"];
}

interface NextStep {
  readonly final?: FinalAnswer;
  readonly agent?: Agent;
}

/**
 * Read from the messages, so that every process that resumes the run gets the same result. The first final or
 * handoff reply in call order decides.
 */
export const findNextStep = (
  messages: readonly Message[],
  agentOf: (name: string) => Agent | undefined,
): NextStep => {
  for (const { flow, content, isText, parts } of repliesToLastCalls(messages)) {
    if (flow?.kind === "final") {
      const json = isText === true ? JSON.stringify(content) : content;
      return { final: { text: toText(json), json, ...(parts && { parts }) } };
    }
    const next = flow?.kind === "handoff" ? agentOf(flow.agent) : undefined;
    if (next !== undefined) return { agent: next };
  }
  return {};
};

const repliesToLastCalls = (messages: readonly Message[]): readonly ToolMessage[] => {
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  const { calls = [] } = (messages[at] ?? {}) as Partial<AssistantMessage>;
  const behind = messages.slice(at + 1);
  if (behind.some(({ role }) => role === "user")) return [];
  return calls.flatMap(({ id }) =>
    behind.flatMap((one) => (one.role === "tool" && one.callId === id ? [one] : [])),
  );
};

const toText = (content: string): string => {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === "string" ? value : content;
  } catch {
    return content;
  }
};

/** Turns an invalid handoff into an error reply for the model. */
export const correctHandoff = (agent: string, targets: readonly Agent[], reply: Reply): Reply => {
  const { flow, value: _, ...rest } = reply;
  if (flow.kind !== "handoff" || targets.some(({ name }) => name === flow.agent)) return reply;
  const known = targets.map(({ name }) => `"${name}"`).join(", ");
  const hint = known === "" ? "It has no agents to hand off to." : `It may hand off to ${known}.`;
  const text = `Error: "${agent}" cannot hand off to "${flow.agent}". ${hint}`;
  return { ...rest, flow: { kind: "continue" }, ok: false, text };
};

const answeredEnding = (
  content: string,
  { value, changes }: Extract<AnswerReading, { ok: true }>,
): RunEnding => ({
  status: "done",
  content,
  answer: { value, changes },
});

const cutOffReason = (finish: FinishReason): string | undefined => {
  if (finish === "length") return "The model's reply was cut off at the length limit.";
  if (finish === "filter") return "The provider's filter stopped the model.";
  if (finish === "refusal") return "The model refused to answer.";
  return undefined;
};

const emptyReplyReason = "The model returned an empty reply.";

/** Providers reject messages that contain only whitespace. */
export const isBlankText = (text: string): boolean => !/\S/.test(text);
