import type { ChatApproval } from "../../../runtime/chat/open-chats.ts";
import type { Message, UserMessage } from "../../../types/message.ts";
import type { Usage } from "../../../types/model.ts";

export interface ChatAnswer {
  readonly messages: readonly Message[];
  /** A different agent means a handoff. */
  readonly agentBefore: string | undefined;
  readonly questions: readonly ChatApproval[];
}

export const findAnswer = (
  messages: readonly Message[],
  messageId: string,
  questions: readonly ChatApproval[],
): ChatAnswer | undefined => {
  const at = messages.findIndex((message) => isPageMessage(message) && message.id === messageId);
  if (at < 0) return undefined;
  const next = messages.findIndex((message, index) => index > at && isPageMessage(message));
  const before = messages.slice(0, at).findLast(({ role }) => role === "assistant");
  return {
    messages: messages.slice(at + 1, next < 0 ? undefined : next),
    agentBefore: before?.role === "assistant" ? before.agent : undefined,
    questions,
  };
};

export const lastUserMessage = (messages: readonly Message[]): UserMessage | undefined =>
  messages.findLast(isPageMessage);

/** User messages without an ID are corrections for the model. */
const isPageMessage = (message: Message): message is UserMessage =>
  message.role === "user" && message.id !== undefined;

/** Stable across processes and reloads. */
export const answerIdOf = (messageId: string): string => `${messageId}-answer`;

/** `answered`: approvals are answered and calls can continue. */
export const answerStatusOf = ({
  messages,
  questions,
}: ChatAnswer): "complete" | "waiting" | "answered" | "unfinished" => {
  const pendingIds = messages.flatMap((one) =>
    one.role === "tool" && one.pending !== undefined ? [one.pending] : [],
  );
  if (pendingIds.length > 0) {
    const isOpen = questions.some(({ id, isOpen }) => isOpen && pendingIds.includes(id));
    return isOpen ? "waiting" : "answered";
  }
  const last = messages.at(-1);
  if (last?.role === "tool") return last.flow?.kind === "final" ? "complete" : "unfinished";
  if (last?.role !== "assistant" || last.paused === true) return "unfinished";
  return (last.calls ?? []).every(({ providerExecuted }) => providerExecuted === true)
    ? "complete"
    : "unfinished";
};

export const totalUsage = ({ messages }: ChatAnswer): Usage => {
  let usage: Usage = { inputTokens: 0, outputTokens: 0 };
  for (const message of messages) {
    if (message.role !== "assistant" || message.usage === undefined) continue;
    const { inputTokens, outputTokens, cachedTokens = 0 } = message.usage;
    const cached = (usage.cachedTokens ?? 0) + cachedTokens;
    usage = {
      inputTokens: usage.inputTokens + inputTokens,
      outputTokens: usage.outputTokens + outputTokens,
      ...(cached === 0 ? {} : { cachedTokens: cached }),
    };
  }
  return usage;
};
