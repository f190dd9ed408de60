import { randomUUID } from "node:crypto";
import type { ChatIdentity } from "../../runtime/chat/chat-identity.ts";
import { ChatClaimRefusal } from "../../runtime/chat/claim-chat.ts";
import { type ChatApproval, openChats } from "../../runtime/chat/open-chats.ts";
import type { Haft } from "../../runtime/haft.ts";
import type { Agent } from "../../types/agent.ts";
import type { ApprovalDecision } from "../../types/approval.ts";
import { ConfigurationError, ToolError } from "../../types/errors.ts";
import { failures } from "../../types/failures.ts";
import { callerKeyOf, type Principal } from "../../types/principal.ts";
import {
  authenticatePerson,
  type ChatRequestContext,
  continueAnswer,
  createApproverLookup,
  streamLiveAnswer,
  streamRecordedAnswer,
} from "./chat-request-context.ts";
import { deleteChat, getChat, listChats, resumeChatStream, stopChat } from "./chat-requests.ts";
import {
  type AgentHandlerOptions,
  type AgentHandlerSettings,
  toAgentHandlerSettings,
} from "./handler-options.ts";
import { findLiveAnswer } from "./live-answers.ts";
import {
  ChatError,
  chatBusyError,
  chatDeletedError,
  chatNotFoundError,
  toChatErrorResponse,
} from "./request/chat-error.ts";
import { chatRouteOf } from "./request/chat-route.ts";
import { checkOrigin, readChatBody } from "./request/check-request.ts";
import { type PageApprovalAnswer, readPost } from "./request/read-post.ts";
import { sendMessage } from "./send-message.ts";
import { answerStatusOf, findAnswer, lastUserMessage } from "./stream/chat-answer.ts";

/**
 * Handles the requests of a chat page. Takes web-standard requests, so Hono, Next.js and others can mount it.
 */
export type AgentHandler = (request: Request) => Promise<Response>;

/**
 * The server side of a chat page: an agent answers what `useChat` of the AI SDK sends, and the ledger stores
 * the chat. Of a request, only the last message and the approval answers are used.
 */
export const agentHandler = (haft: Haft, agent: Agent, options: AgentHandlerOptions): AgentHandler => {
  const settings = toAgentHandlerSettings(options);
  if (typeof agent?.layer !== "function") {
    throw new ConfigurationError(
      "invalid_config",
      "agentHandler needs an agent. Create one with agent({ … }).",
    );
  }
  const chats = openChats(haft, agent, settings.run);
  const viewers = new StreamSlots(settings);
  const toFailureText: ChatRequestContext["toFailureText"] = (error, { runId }) => {
    if (isForOperators(error)) reportError(settings, error, runId);
    return failureText(error, runId);
  };
  return async (request) => {
    try {
      const route = chatRouteOf(request, settings.base);
      checkOrigin(request, settings.origins);
      const person = await authenticatePerson(request, settings);
      const approver = createApproverLookup(request, person, settings);
      const context = {
        request,
        person,
        chats,
        options: settings,
        toFailureText,
        approver,
        releaseSlot: () => {},
      };
      if (route.kind === "list") return await listChats(context);
      if (route.kind === "send") return await withStreamSlot(context, viewers, handlePost);
      const chat = chats.identity(person, route.chatId);
      if (route.kind === "show") return await getChat(context, chat);
      if (route.kind === "stream") {
        return await withStreamSlot(context, viewers, (reader) => resumeChatStream(reader, chat));
      }
      if (route.kind === "delete") return await deleteChat(context, chat);
      await readChatBody(request, settings.maxBodyBytes);
      return await stopChat(context, chat);
    } catch (error) {
      const reference = randomUUID();
      if (isForOperators(error)) reportError(settings, error, reference);
      return toChatErrorResponse(toChatError(error, reference));
    }
  };
};

const withStreamSlot = async (
  context: ChatRequestContext,
  viewers: StreamSlots,
  respond: (context: ChatRequestContext) => Promise<Response>,
): Promise<Response> => {
  const releaseSlot = viewers.enter(context.person);
  try {
    const response = await respond({ ...context, releaseSlot });
    if (response.body === null) releaseSlot();
    return response;
  } catch (error) {
    releaseSlot();
    throw error;
  }
};

const handlePost = async (context: ChatRequestContext): Promise<Response> => {
  const { request, person, chats, options } = context;
  const post = readPost(await readChatBody(request, options.maxBodyBytes), options.maxMessageLength);
  const chat = chats.identity(person, post.chatId);
  return post.kind === "message"
    ? await sendMessage(context, chat, post.message, post.isRegeneration)
    : await answerChatApprovals(context, chat, post.answers);
};

const reportError = ({ onError }: AgentHandlerSettings, error: unknown, reference: string): void => {
  try {
    onError(error, reference);
  } catch {
    // A failing `onError` must not break the response.
  }
};

/** Users may read what models may read. */
const userMessageOf = (error: unknown): string | undefined =>
  ToolError.is(error) && failures[error.code].reader === "model" ? error.message : undefined;

const failureText = (error: unknown, reference: string): string =>
  error instanceof ChatError ? error.message : (userMessageOf(error) ?? genericFailureText(reference));

const genericFailureText = (reference: string): string =>
  `Something went wrong, and the answer could not be written. The operator of this chat can find the error by its reference, ${reference}.`;

const toChatError = (error: unknown, reference: string): ChatError => {
  if (error instanceof ChatError) return error;
  if (error instanceof ChatClaimRefusal) return unclaimableError(error);
  if (ToolError.is(error) && error.code === "still_running") return chatBusyError();
  if (ToolError.is(error) && error.code === "cancelled") {
    return new ChatError(503, "closed", "The server is shutting down. Try again soon.");
  }
  const text = userMessageOf(error);
  return text === undefined
    ? new ChatError(500, "failed", genericFailureText(reference))
    : new ChatError(422, "refused", text);
};

const unclaimableError = ({ reason }: ChatClaimRefusal): ChatError => {
  if (reason === "busy") return chatBusyError();
  return reason === "deleted" ? chatDeletedError() : chatNotFoundError();
};

const isForOperators = (error: unknown): boolean =>
  !(error instanceof ChatError) && !(error instanceof ChatClaimRefusal) && userMessageOf(error) === undefined;

class StreamSlots {
  readonly #limits: Pick<AgentHandlerSettings, "maxStreams" | "maxStreamsPerPerson">;
  readonly #byPerson = new Map<string, number>();
  #total = 0;

  constructor(limits: Pick<AgentHandlerSettings, "maxStreams" | "maxStreamsPerPerson">) {
    this.#limits = limits;
  }

  /**
   * Must precede all writes: no message without a readable answer. Returns an idempotent release function.
   */
  enter(person: Principal): () => void {
    const key = callerKeyOf(person);
    const own = this.#byPerson.get(key) ?? 0;
    if (own >= this.#limits.maxStreamsPerPerson) {
      throw tooManyStreamsError(
        "You have reached the limit of answers that you can read at the same time. Close a page and try again.",
      );
    }
    if (this.#total >= this.#limits.maxStreams) {
      throw tooManyStreamsError("The server has reached its limit of open answers. Try again soon.");
    }
    this.#total += 1;
    this.#byPerson.set(key, own + 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#total -= 1;
      const left = (this.#byPerson.get(key) ?? 1) - 1;
      if (left === 0) this.#byPerson.delete(key);
      else this.#byPerson.set(key, left);
    };
  }
}

const tooManyStreamsError = (message: string): ChatError =>
  new ChatError(429, "too_many_streams", message, { "retry-after": "5" });

/** The first decision counts; the answer continues either way. */
const answerChatApprovals = async (
  context: ChatRequestContext,
  chat: ChatIdentity,
  answers: readonly PageApprovalAnswer[],
): Promise<Response> => {
  const { chats } = context;
  const chatRecord = await chats.find(chat);
  if (chatRecord === undefined) throw chatNotFoundError();
  const known = answers.flatMap((answer) => {
    const question = chatRecord.questions.find(({ id }) => id === answer.approvalId);
    return question === undefined ? [] : [{ answer, question }];
  });
  if (known.length === 0) throw approvalNotPendingError();
  for (const { answer, question } of known)
    if (question.isOpen) await recordDecision(context, answer, question);
  const afterCall = known.at(-1)!.answer.toolCallId;
  const record = await chats.find(chat);
  const messageId = record && lastUserMessage(record.run.messages)?.id;
  const answer = record && messageId && findAnswer(record.run.messages, messageId, record.questions);
  if (record === undefined || !messageId || !answer) throw chatNotFoundError();
  const live = findLiveAnswer(chats, chat);
  if (live !== undefined) return await streamLiveAnswer(context, chat, live, afterCall);
  const answerStatus = answerStatusOf(answer);
  const { isHeld, status } = record.run;
  const isLeft =
    isHeld === true || answerStatus === "waiting" || answerStatus === "answered" || status === "running";
  return isLeft && answerStatus !== "complete"
    ? await streamLiveAnswer(context, chat, continueAnswer(context, chat, messageId, record), afterCall)
    : streamRecordedAnswer(context, chat, messageId, answer, afterCall);
};

const recordDecision = async (
  { chats, approver }: ChatRequestContext,
  { approved, reason, isForChat }: PageApprovalAnswer,
  question: ChatApproval,
): Promise<void> => {
  const by = await approver(question);
  if (by === undefined) {
    throw new ChatError(
      403,
      "not_yours",
      "You may not decide this approval request. The chat continues when an approver has decided.",
    );
  }
  const decision: ApprovalDecision = approved
    ? // A session grant would also cover other chats with the same ID.
      { kind: "allow", ...(isForChat ? { always: "run" as const } : {}) }
    : { kind: "deny", ...(reason === undefined ? {} : { reason }) };
  await chats.decide(question.id, decision, by);
};

const approvalNotPendingError = (): ChatError =>
  new ChatError(
    409,
    "not_asked",
    "This chat has no such approval request. Reload the chat to see its current state.",
  );
