import { randomUUID } from "node:crypto";
import { openChats } from "../../runtime/chat/open-chats.ts";
import type { Haft } from "../../runtime/haft.ts";
import type { Agent } from "../../types/agent.ts";
import { ConfigurationError } from "../../types/errors.ts";
import { answerChatApprovals } from "./answer-chat-approvals.ts";
import { authenticatePerson, type ChatRequestContext, createApproverLookup } from "./chat-request-context.ts";
import { deleteChat, getChat, listChats, resumeChatStream, stopChat } from "./chat-requests.ts";
import { failureText, isForOperators, toChatError } from "./failure-text.ts";
import {
  type AgentHandlerOptions,
  type AgentHandlerSettings,
  toAgentHandlerSettings,
} from "./handler-options.ts";
import { toChatErrorResponse } from "./request/chat-error.ts";
import { chatRouteOf } from "./request/chat-route.ts";
import { checkOrigin, readChatBody } from "./request/check-request.ts";
import { readPost } from "./request/read-post.ts";
import { sendMessage } from "./send-message.ts";
import { StreamSlots } from "./stream-slots.ts";

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
      "agentHandler takes an agent; make one with agent({ … }).",
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
