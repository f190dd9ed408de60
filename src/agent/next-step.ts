import type { Agent } from "../types/agent.ts";
import type { AssistantMessage, Message, ToolMessage } from "../types/message.ts";
import type { Reply } from "../types/reply.ts";

export interface FinalAnswer {
  readonly text: string;
  readonly json: string;
  readonly parts?: ToolMessage["parts"];
}

export interface NextStep {
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
