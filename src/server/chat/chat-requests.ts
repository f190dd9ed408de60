import type { ChatIdentity } from "../../runtime/chat/chat-identity.ts";
import {
  type ChatRequestContext,
  canAnswerAny,
  continueAnswer,
  streamLiveAnswer,
  streamRecordedAnswer,
} from "./chat-request-context.ts";
import { findLiveAnswer, type LiveAnswer, startAnswer } from "./live-answers.ts";
import { ChatError, chatNotFoundError, noStoreJsonResponse } from "./request/chat-error.ts";
import { answerEntriesOf } from "./stream/answer-entries.ts";
import { answerStatusOf, findAnswer, lastUserMessage, totalUsage } from "./stream/chat-answer.ts";
import { chunkForViewer } from "./stream/chunk-for-viewer.ts";
import { chatTitleOf, toAnswerMessage, toUserMessage, type UiMessage } from "./stream/to-ui-message.ts";
import type { UiChunk } from "./stream/ui-chunk.ts";

/** Replays the current answer and continues live. 204 if there is none. */
export const resumeChatStream = async (visit: ChatRequestContext, chat: ChatIdentity): Promise<Response> => {
  const { chats } = visit;
  const record = await chats.find(chat);
  const live = findLiveAnswer(chats, chat);
  if (live !== undefined) return await streamLiveAnswer(visit, chat, live);
  const messageId = record && lastUserMessage(record.run.messages)?.id;
  const answer = record && messageId && findAnswer(record.run.messages, messageId, record.questions);
  if (record === undefined || !messageId || !answer) return noContentResponse();
  const { isHeld, status } = record.run;
  const answerStatus = answerStatusOf(answer);
  const isUnfinished =
    isHeld !== true && answerStatus !== "complete" && answerStatus !== "waiting" && status === "running";
  if (isHeld === true || isUnfinished || answerStatus === "answered") {
    return await streamLiveAnswer(visit, chat, continueAnswer(visit, chat, messageId, record));
  }
  // useChat cannot send approvals while it reads a stream.
  if (answerStatus !== "waiting" || (await canAnswerAny(visit, answer))) return noContentResponse();
  return streamRecordedAnswer(visit, chat, messageId, answer);
};

const noContentResponse = (): Response => new Response(null, { status: 204 });

export const getChat = async (visit: ChatRequestContext, chat: ChatIdentity): Promise<Response> => {
  const record = await visit.chats.find(chat);
  if (record === undefined) throw chatNotFoundError();
  const { run, questions } = record;
  const messages: UiMessage[] = [];
  for (const message of run.messages) {
    if (message.role !== "user" || message.id === undefined) continue;
    messages.push(toUserMessage(message));
    const answer = findAnswer(run.messages, message.id, questions)!;
    if (answer.messages.length === 0) continue;
    const chunks: UiChunk[] = [];
    for (const entry of answerEntriesOf(answer)) {
      const { question } = entry;
      chunks.push(
        chunkForViewer(entry, question === undefined || (await visit.approver(question)) !== undefined),
      );
    }
    messages.push(toAnswerMessage(message.id, chunks, { usage: totalUsage(answer) }));
  }
  return noStoreJsonResponse({
    id: chat.chatId,
    title: chatTitleOf(run.messages),
    usage: run.usage,
    messages,
  });
};

const maxListedChats = 50;

/** Latest first. Without `person.user`, chats are only found by ID. */
export const listChats = async ({ chats, person }: ChatRequestContext): Promise<Response> => {
  const all = person.user === undefined ? [] : await chats.list(person);
  const latest = [...all].sort((one, other) => other.updatedAt - one.updatedAt).slice(0, maxListedChats);
  const listed = await Promise.all(
    latest.map(async ({ principal, startedAt, updatedAt }) => {
      const id = principal?.session ?? "";
      const record = await chats.find(chats.identity(person, id));
      return { id, title: chatTitleOf(record?.run.messages ?? []), startedAt, updatedAt };
    }),
  );
  return noStoreJsonResponse({ chats: listed, more: all.length - listed.length });
};

/** Stops the answer, or denies its pending approvals. */
export const stopChat = async (visit: ChatRequestContext, chat: ChatIdentity): Promise<Response> => {
  const { chats, toFailureText } = visit;
  const live = findLiveAnswer(chats, chat);
  if (live !== undefined) return await stopLiveAnswer(live);
  const record = await chats.find(chat);
  if (record === undefined) throw chatNotFoundError();
  if (record.run.isHeld === true) throw otherProcessError();
  const messageId = lastUserMessage(record.run.messages)?.id;
  const answer = messageId && findAnswer(record.run.messages, messageId, record.questions);
  if (!messageId || !answer || answerStatusOf(answer) !== "waiting")
    return noStoreJsonResponse({ stopped: false });
  await denyPending(visit, record.questions);
  const settling = startAnswer(chats, chat, { messageId, settlesOnly: true }, toFailureText);
  await settling.accepted;
  await settling.over;
  return noStoreJsonResponse({ stopped: true });
};

const stopLiveAnswer = async ({ stop, over }: LiveAnswer): Promise<Response> => {
  if (stop === undefined) throw otherProcessError();
  stop();
  await over;
  return noStoreJsonResponse({ stopped: true });
};

const denyPending = async (
  { chats, person }: ChatRequestContext,
  questions: readonly { readonly id: string; readonly isOpen: boolean }[],
): Promise<void> => {
  const decision = { kind: "deny", reason: "The request was withdrawn in the chat." } as const;
  for (const { id, isOpen } of questions) {
    if (isOpen) await chats.decide(id, decision, person.user ?? person.agent);
  }
};

const otherProcessError = (): ChatError =>
  new ChatError(409, "elsewhere", "Another process writes this answer, and only that process can stop it.");

/** Audit records of the calls remain. */
export const deleteChat = async ({ chats }: ChatRequestContext, chat: ChatIdentity): Promise<Response> => {
  const live = findLiveAnswer(chats, chat);
  live?.stop?.();
  if (live?.stop !== undefined) await live.over;
  if (!(await chats.remove(chat))) throw chatNotFoundError();
  return noContentResponse();
};
