import type { Agent } from "../types/agent.ts";
import type { AssistantMessage, Message, ToolMessage } from "../types/message.ts";
import type { Reply } from "../types/reply.ts";

/** By which a tool ended the run. */
export interface FinalAnswer {
  readonly text: string;
  readonly json: string;
  readonly parts?: ToolMessage["parts"];
}

/** Where a turn leads: to its final answer, to another agent, or back to the model. */
export interface NextStep {
  /** What the program is told, the JSON that the tool gave, and media that came with it. */
  readonly final?: FinalAnswer;
  readonly agent?: Agent;
}

/**
 * Where the last turn of a conversation leads, once all of its calls are answered: what the first answer that ends it
 * asks for, in the order of the calls. It is read from the messages, so that it is the same whoever goes on with the
 * run, and when.
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

/** The answers to the calls of the last assistant message, in the order of its calls; none where somebody spoke since. */
const repliesToLastCalls = (messages: readonly Message[]): readonly ToolMessage[] => {
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  const { calls = [] } = (messages[at] ?? {}) as Partial<AssistantMessage>;
  const behind = messages.slice(at + 1);
  if (behind.some(({ role }) => role === "user")) return [];
  return calls.flatMap(({ id }) =>
    behind.flatMap((one) => (one.role === "tool" && one.callId === id ? [one] : [])),
  );
};

/** A final value is told as JSON; a text is the answer as it is. */
const toText = (content: string): string => {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === "string" ? value : content;
  } catch {
    return content;
  }
};

/** A handoff to nobody, or to one that policy keeps away, is no handoff: the model is told, and goes on. */
export const correctHandoff = (agent: string, targets: readonly Agent[], reply: Reply): Reply => {
  const { flow, value: _, ...rest } = reply;
  if (flow.kind !== "handoff" || targets.some(({ name }) => name === flow.agent)) return reply;
  const known = targets.map(({ name }) => `"${name}"`).join(", ");
  const hint = known === "" ? "It may hand over to nobody." : `It may hand over to ${known}.`;
  const text = `Error: "${agent}" cannot hand over to "${flow.agent}". ${hint}`;
  return { ...rest, flow: { kind: "continue" }, ok: false, text };
};
