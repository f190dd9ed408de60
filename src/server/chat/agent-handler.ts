import { type ChatIdentity, readChatPrincipal } from "../../runtime/chat/claim-chat.ts";
import { type ChatApproval, openChats } from "../../runtime/chat/open-chats.ts";
import type { Haft } from "../../runtime/haft.ts";
import type { Agent } from "../../types/agent.ts";
import type { ApprovalDecision } from "../../types/approval.ts";
import { ConfigurationError } from "../../types/errors.ts";
import { callerKeyOf, type Principal } from "../../types/principal.ts";
import { checkJsonContent, checkOrigin, hostOf } from "../request/check-request.ts";
import {
  clientMessageOf,
  errorResponse,
  HttpError,
  internalErrorText,
  reportSafely,
  toHttpError,
} from "../request/http-error.ts";
import { defaultBodyTimeoutMs, parseJsonObject, readRequestBytes } from "../request/read-body.ts";
import { createRequestSlots, type RequestSlots } from "../request/request-slots.ts";
import {
  createRouter,
  noSlot,
  type RequestSlot,
  type RequestStages,
  serveRequest,
} from "../request/serve-request.ts";
import { chatNotFoundError, toChatError } from "./chat-errors.ts";
import {
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
import { isChatId, type PageApprovalAnswer, readPost } from "./read-post.ts";
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
  const stages = chatStages(haft, agent, settings);
  return (request) => serveRequest(stages, request);
};

interface ChatRoute {
  readonly method: string;
  readonly path: string;
  readonly takesBody?: true;
  readonly opensStream?: true;
  readonly run: (
    context: ChatRequestContext,
    chatId: string,
    body: Uint8Array | undefined,
  ) => Promise<Response>;
}

const chatRoutes: readonly ChatRoute[] = [
  { method: "GET", path: "", run: listChats },
  {
    method: "POST",
    path: "",
    takesBody: true,
    opensStream: true,
    run: (context, _, body) => handlePost(context, body!),
  },
  { method: "GET", path: "/{id}", run: getChat },
  { method: "DELETE", path: "/{id}", run: deleteChat },
  { method: "GET", path: "/{id}/stream", opensStream: true, run: resumeChatStream },
  { method: "POST", path: "/{id}/stop", takesBody: true, run: stopChat },
];

type ChatStages = RequestStages<
  Request,
  { readonly route: ChatRoute; readonly chatId: string },
  Principal,
  RequestSlot
>;

const chatStages = (haft: Haft, agent: Agent, settings: AgentHandlerSettings): ChatStages => {
  const { base, maxBodyBytes, onError } = settings;
  const chats = openChats(haft, agent, settings.run);
  const slots = createRequestSlots();
  const origins = new Set(settings.origins);
  const findRoute = createRouter(chatRoutes);
  const toFailureText: ChatRequestContext["toFailureText"] = (error, { runId }) => {
    const text = clientMessageOf(toChatError(error));
    if (text === undefined) reportSafely(onError, error, runId);
    return text ?? internalErrorText(runId);
  };
  return {
    check: (request) =>
      checkOrigin(request.headers, { host: hostOf(request), origins, allowsNavigation: true }),
    route: ({ url, method }) => {
      const path = new URL(url).pathname.replace(/\/$/, "");
      const isBelowBase = path === base || path.startsWith(`${base}/`);
      const match = isBelowBase ? findRoute(method, path.slice(base.length)) : undefined;
      const { id: chatId = "" } = match?.params ?? {};
      if (match === undefined || (match.params.id !== undefined && !isChatId(chatId)))
        throw chatNotFoundError();
      return { route: match.route, chatId };
    },
    identify: async (request) => {
      const principal = await settings.principal(request);
      if (principal === undefined) throw new HttpError(401, "unauthenticated", "Sign in first.");
      return readChatPrincipal(principal);
    },
    admit: (_, { route }, person) =>
      route.opensStream === true ? takeStreamSlot(slots, person, settings) : noSlot,
    read: async (request, { route }) => {
      if (route.takesBody !== true) return undefined;
      checkJsonContent(request.headers);
      const remedy =
        "Send only the last message, which is the only one that is read (prepareSendMessagesRequest).";
      return readRequestBytes(request, { maxBodyBytes, bodyTimeoutMs: defaultBodyTimeoutMs, remedy });
    },
    handle: ({ incoming: request, route: { route, chatId }, caller: person, slot, body }) => {
      const approver = createApproverLookup(request, person, settings);
      const context = { person, chats, options: settings, toFailureText, approver, releaseSlot: slot.leave };
      return route.run(context, chatId, body);
    },
    fail: (error) => errorResponse(toHttpError(toChatError(error), onError)),
  };
};

const handlePost = async (context: ChatRequestContext, body: Uint8Array): Promise<Response> => {
  const { person, chats, options } = context;
  const post = readPost(parseJsonObject(body), options.maxMessageLength);
  const chat = chats.identity(person, post.chatId);
  return post.kind === "message"
    ? await sendMessage(context, chat, post.message, post.isRegeneration)
    : await answerChatApprovals(context, chat, post.answers);
};

/** Must precede all writes: no message without a readable answer. */
const takeStreamSlot = (
  slots: RequestSlots,
  person: Principal,
  { maxStreams, maxStreamsPerPerson }: AgentHandlerSettings,
): RequestSlot => {
  const key = callerKeyOf(person);
  if (slots.of(key, "standing") >= maxStreamsPerPerson) {
    throw tooManyStreamsError(
      "You have reached the limit of answers that you can read at the same time. Close a page and try again.",
    );
  }
  if (slots.all("standing") >= maxStreams) {
    throw tooManyStreamsError("The server has reached its limit of open answers. Try again soon.");
  }
  return slots.begin(key, "standing");
};

const tooManyStreamsError = (message: string): HttpError =>
  new HttpError(429, "too_many_streams", message, { headers: { "retry-after": "5" } });

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
    throw new HttpError(
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

const approvalNotPendingError = (): HttpError =>
  new HttpError(
    409,
    "not_asked",
    "This chat has no such approval request. Reload the chat to see its current state.",
  );
