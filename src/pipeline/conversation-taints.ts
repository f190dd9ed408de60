import type { AssistantMessage, Message } from "../types/message.ts";

/** Every source of untrusted content in a conversation. */
export const collectConversationTaints = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap((message) => {
    if (message.role === "assistant") return taintsOfMessage(message);
    return message.role === "tool" ? (message.taints ?? []) : [];
  });

/** Untrusted content that the model's provider brought in. A model that does not report it: every call that the provider ran. */
export const taintsOfMessage = ({
  calls = [],
  taints,
}: Pick<AssistantMessage, "calls" | "taints">): readonly string[] =>
  taints ?? calls.flatMap(({ tool, providerExecuted }) => (providerExecuted === true ? [tool] : []));
