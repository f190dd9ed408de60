import {
  convertToModelMessages,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type ModelMessage,
  type ToolSet,
  type UIMessage,
  type UIMessageChunk,
} from "ai";
import type { Session } from "../../runtime/session.ts";
import type { IntegrationOptions, PausedCallRequest } from "../session-tools.ts";
import { type SettledRequest, settleRequests } from "../settle-requests.ts";
import {
  approvalChunksOf,
  isOpenToolPart,
  type OpenToolPart,
  openToolPartsOf,
  rawCallOfPart,
  toAnsweredPart,
  toDeniedPart,
  toFinishedPart,
  toFrameworkRequest,
  toUnansweredPart,
  toWaitingPart,
  type UIToolPart,
} from "./ui-parts.ts";

/** How the messages of a chat are settled. */
export interface SettleChatOptions<Message extends UIMessage = UIMessage> extends IntegrationOptions {
  /**
   * What the page sent: a message of the user, or the assistant's message with answers to approval requests. Nothing else
   * of it is taken over. Unless set, no call runs.
   */
  readonly sent?: Message | undefined;
  /** The tools of the loop, whose `toModelOutput` decides what the model reads. */
  readonly tools?: ToolSet | undefined;
}

/** The messages of a chat in the state that the ledger has. */
export interface SettledChat<Message extends UIMessage = UIMessage> {
  /** The messages to store and to show. `validateUIMessages` accepts them. */
  readonly messages: Message[];
  /** The messages for the model. A call that still requires approval has a result that says so. */
  readonly modelMessages: ModelMessage[];
  /** The calls that require an answer: with `haft approve`, or in the page if `answeredBy` is set. */
  readonly waiting: readonly PausedCallRequest[];
  /** Whether the model has something to answer: a message of the user, or results of the calls it made. */
  readonly isReady: boolean;
  /** What the page does not know yet about the assistant's message that it continues. Write them first. */
  readonly chunks: readonly UIMessageChunk[];
}

/**
 * Brings the stored messages of `useChat` and the ledger to the same state. Answers given elsewhere become part of the
 * messages, and answers given in the page are recorded if `answeredBy` is set. An approved call of the last message is left
 * to `streamText`; one of an earlier message runs here. The given messages are not changed.
 */
export const settleUIMessages = async <Message extends UIMessage>(
  session: Session,
  storedMessages: readonly Message[],
  { sent, answeredBy, tools }: SettleChatOptions<Message> = {},
): Promise<SettledChat<Message>> => {
  const received = sent === undefined ? storedMessages : applySentMessage(storedMessages, sent);
  const open = received.flatMap(openToolPartsOf);
  const settled = await settleRequests(session, open.map(toFrameworkRequest), answeredBy);
  const next = new Map<string, UIToolPart>();
  for (const [index, part] of open.entries()) {
    const isLast = isInLastStep(received, part);
    next.set(part.toolCallId, await settlePart(session, part, settled[index]!, isLast || sent === undefined));
  }
  const messages = mapParts(received, (part) => next.get(part.toolCallId));

  const continued = sent?.role === "assistant" ? sent.id : messages.at(-1)?.id;
  const message = messages.find(({ id, role }) => id === continued && role === "assistant");
  const settledCallIds = open.map(({ toolCallId }) => toolCallId);
  const isOfLast = message === undefined || message === messages.at(-1);
  const isReady = sent !== undefined && isOfLast && hasWork(messages);
  return {
    messages,
    modelMessages: isReady ? await toModelMessages(messages, tools) : [],
    waiting: settled.flatMap((each) => each.waiting ?? []),
    isReady,
    chunks: (message?.parts ?? []).flatMap((part) =>
      "toolCallId" in part && settledCallIds.includes(part.toolCallId) ? approvalChunksOf(part) : [],
    ),
  };
};

/** A message of the user is new. Of a message of the assistant only the answers count, because the page may have changed it. */
const applySentMessage = <Message extends UIMessage>(
  storedMessages: readonly Message[],
  sent: Message,
): readonly Message[] => {
  if (sent.role === "user")
    return storedMessages.some(({ id }) => id === sent.id) ? storedMessages : [...storedMessages, sent];
  const answers = new Map(
    openToolPartsOf(sent).flatMap((part) =>
      part.state === "approval-responded" ? [[part.approval.id, part.approval]] : [],
    ),
  );
  return mapParts(storedMessages, (part) => {
    const answer =
      isOpenToolPart(part) && part.state === "approval-requested" && answers.get(part.approval.id);
    return answer ? toAnsweredPart(part, answer) : undefined;
  });
};

const settlePart = async (
  session: Session,
  part: OpenToolPart,
  { answer, waiting }: SettledRequest,
  isLeftToLoop: boolean,
): Promise<UIToolPart> => {
  if (waiting !== undefined) return toWaitingPart(part);
  if (answer === undefined) return part;
  if (isLeftToLoop) return toAnsweredPart(part, answer);
  if (!answer.approved) return toDeniedPart(part, answer);
  const [reply] = await session.turn([rawCallOfPart(part)]);
  return reply === undefined || reply.pending !== undefined
    ? toWaitingPart(part)
    : toFinishedPart(part, answer, reply);
};

/** The AI SDK runs approved calls of the last step alone. */
const isInLastStep = (messages: readonly UIMessage[], part: OpenToolPart): boolean => {
  const { parts = [] } = messages.at(-1) ?? {};
  return parts.indexOf(part) > parts.findLastIndex(({ type }) => type === "step-start");
};

const hasWork = (messages: UIMessage[]): boolean =>
  messages.at(-1)?.role === "user" ||
  lastAssistantMessageIsCompleteWithApprovalResponses({ messages }) ||
  lastAssistantMessageIsCompleteWithToolCalls({ messages });

const toModelMessages = (
  messages: readonly UIMessage[],
  tools: ToolSet | undefined,
): Promise<ModelMessage[]> =>
  convertToModelMessages(
    mapParts(messages, (part) =>
      isOpenToolPart(part) && part.state === "approval-requested" ? toUnansweredPart(part) : undefined,
    ),
    tools === undefined ? {} : { tools },
  );

/** Copies of the messages in which a part is replaced where `replace` returns another one. */
const mapParts = <Message extends UIMessage>(
  messages: readonly Message[],
  replace: (part: UIToolPart) => UIToolPart | undefined,
): Message[] =>
  messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => ("toolCallId" in part ? (replace(part) ?? part) : part)),
  }));
