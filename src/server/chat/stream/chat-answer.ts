import type { ChatApproval } from "../../../runtime/chat/open-chats.ts";
import type { Message, UserMessage } from "../../../types/message.ts";
import type { Usage } from "../../../types/model.ts";

/** What a chat says after one message of a person, and before the next. */
export interface ChatAnswer {
  readonly messages: readonly Message[];
  /** Who spoke last before it: another name is a handoff. */
  readonly agentBefore: string | undefined;
  /** Whoever was asked about a call of the chat. */
  readonly questions: readonly ChatApproval[];
}

/** Nothing where the chat does not have the message. */
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

/** What a page sent has an id. Without one it is a part of the answer: what a model is told whose answer does not fit. */
const isPageMessage = (message: Message): message is UserMessage =>
  message.role === "user" && message.id !== undefined;

/** The id of the answer to a message, in every process and after every reload the same. */
export const answerIdOf = (messageId: string): string => `${messageId}-answer`;

/**
 * How an answer stands: `complete`; `waiting` for a person; `answered`, which a person has done, and the calls can go on;
 * or `unfinished`.
 */
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

/** Of all model calls of the answer together. */
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
