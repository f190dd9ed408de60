import { randomUUID } from "node:crypto";
import { chatsWith } from "../runtime/chat/chats.ts";
import type { Haft } from "../runtime/haft.ts";
import type { Agent } from "../words/agent.ts";
import { ConfigurationError } from "../words/errors.ts";
import { answerQuestions } from "./answer-questions.ts";
import { type AgentHandlerOptions, type ReadHandlerOptions, readHandlerOptions } from "./handler-options.ts";
import { deleteChat, listChats, resumeStream, showChat, stopChat } from "./open-chat.ts";
import { checkOrigin, readBody } from "./request/check-request.ts";
import { readPost } from "./request/read-post.ts";
import { toRefused } from "./request/refusal.ts";
import { routeOf } from "./request/route.ts";
import { sendMessage } from "./send-message.ts";
import { failureText, isOperators, toRefusal } from "./tell-failure.ts";
import { Viewers } from "./viewers.ts";
import { approverOf, personOf, type Visit } from "./visit.ts";

/** Answers the requests of a chat page. Web standard, so that Hono, Next and others mount it. */
export type AgentHandler = (request: Request) => Promise<Response>;

/**
 * The whole server side of a chat page: what `useChat` of AI SDK sends is answered by an agent, and the ledger is the
 * memory. Of what a page says, only the last message and answers to questions are taken.
 */
export const agentHandler = (haft: Haft, agent: Agent, options: AgentHandlerOptions): AgentHandler => {
  const read = readHandlerOptions(options);
  if (typeof agent?.layer !== "function") {
    throw new ConfigurationError(
      "invalid_config",
      "agentHandler takes an agent; make one with agent({ … }).",
    );
  }
  const chats = chatsWith(haft, agent, read.run);
  const viewers = new Viewers(read);
  const tellFailure: Visit["tellFailure"] = (error, { runId }) => {
    if (isOperators(error)) tell(read, error, runId);
    return failureText(error, runId);
  };
  return async (request) => {
    try {
      const route = routeOf(request, read.base);
      checkOrigin(request, read.origins);
      const person = await personOf(request, read);
      const approver = approverOf(request, person, read);
      const visit = { request, person, chats, options: read, tellFailure, approver, leave: () => {} };
      if (route.kind === "list") return await listChats(visit);
      if (route.kind === "send") return await reading(visit, viewers, send);
      const chat = chats.identity(person, route.chatId);
      if (route.kind === "show") return await showChat(visit, chat);
      if (route.kind === "stream") {
        return await reading(visit, viewers, (reader) => resumeStream(reader, chat));
      }
      if (route.kind === "delete") return await deleteChat(visit, chat);
      await readBody(request, read.maxBodyBytes);
      return await stopChat(visit, chat);
    } catch (error) {
      const reference = randomUUID();
      if (isOperators(error)) tell(read, error, reference);
      return toRefused(toRefusal(error, reference));
    }
  };
};

/** What may be answered by a stream takes a place, and gives it back where it is not. */
const reading = async (
  visit: Visit,
  viewers: Viewers,
  answer: (visit: Visit) => Promise<Response>,
): Promise<Response> => {
  const leave = viewers.enter(visit.person);
  try {
    const response = await answer({ ...visit, leave });
    if (response.body === null) leave();
    return response;
  } catch (error) {
    leave();
    throw error;
  }
};

const send = async (visit: Visit): Promise<Response> => {
  const { request, person, chats, options } = visit;
  const post = readPost(await readBody(request, options.maxBodyBytes), options.maxMessageLength);
  const chat = chats.identity(person, post.chatId);
  return post.kind === "message"
    ? await sendMessage(visit, chat, post.message, post.isAgain)
    : await answerQuestions(visit, chat, post.answers);
};

/** Whoever listens must not be able to break the answer. */
const tell = ({ onError }: ReadHandlerOptions, error: unknown, reference: string): void => {
  try {
    onError(error, reference);
  } catch {
    // The page is answered all the same.
  }
};
