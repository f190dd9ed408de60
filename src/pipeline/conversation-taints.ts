import type { AssistantMessage, Message } from "../types/message.ts";

export const collectConversationTaints = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap((message) => {
    if (message.role === "assistant") return taintsOfMessage(message);
    return message.role === "tool" ? (message.taints ?? []) : [];
  });

/** Sources that the model reported, else every call that its provider executed. */
export const taintsOfMessage = ({
  calls = [],
  taints,
}: Pick<AssistantMessage, "calls" | "taints">): readonly string[] =>
  taints ?? calls.flatMap(({ tool, providerExecuted }) => (providerExecuted === true ? [tool] : []));
