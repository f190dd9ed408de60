import type { ChatIdentity } from "../../runtime/chat/claim-chat.ts";
import { HttpError, jsonResponse } from "../request/http-error.ts";
import { chatNotFoundError } from "./chat-errors.ts";
import {
  type ChatRequestContext,
  canAnswerAny,
  continueAnswer,
  streamLiveAnswer,
  streamRecordedAnswer,
} from "./chat-request-context.ts";
import { findLiveAnswer, type LiveAnswer, startAnswer } from "./live-answers.ts";
import { answerEntriesOf } from "./stream/answer-entries.ts";
import { answerStatusOf, findAnswer, lastUserMessage, totalUsage } from "./stream/chat-answer.ts";
import { chunkForViewer } from "./stream/chunk-for-viewer.ts";
import { chatTitleOf, toAnswerMessage, toUserMessage, type UiMessage } from "./stream/to-ui-message.ts";
import type { UiChunk } from "./stream/ui-chunk.ts";

/** Replays the current answer and continues live. 204 if there is none. */
export const resumeChatStream = async (context: ChatRequestContext, chatId: string): Promise<Response> => {
  const chat = identityOf(context, chatId);
  const { chats } = context;
  const record = await chats.find(chat);
  const live = findLiveAnswer(chats, chat);
  if (live !== undefined) return await streamLiveAnswer(context, chat, live);
  const messageId = record && lastUserMessage(record.run.messages)?.id;
  const answer = record && messageId && findAnswer(record.run.messages, messageId, record.questions);
  if (record === undefined || !messageId || !answer) return noContentResponse();
  const { isHeld, status } = record.run;
  const answerStatus = answerStatusOf(answer);
  const isUnfinished =
    isHeld !== true && answerStatus !== "complete" && answerStatus !== "waiting" && status === "running";
  if (isHeld === true || isUnfinished || answerStatus === "answered") {
    return await streamLiveAnswer(context, chat, continueAnswer(context, chat, messageId, record));
  }
  // useChat cannot send approvals while it reads a stream.
  if (answerStatus !== "waiting" || (await canAnswerAny(context, answer))) return noContentResponse();
  return streamRecordedAnswer(context, chat, messageId, answer);
};

const identityOf = ({ chats, person }: ChatRequestContext, chatId: string): ChatIdentity =>
  chats.identity(person, chatId);

const noContentResponse = (): Response => new Response(null, { status: 204 });

export const getChat = async (context: ChatRequestContext, chatId: string): Promise<Response> => {
  const chat = identityOf(context, chatId);
  const record = await context.chats.find(chat);
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
        chunkForViewer(entry, question === undefined || (await context.approver(question)) !== undefined),
      );
    }
    messages.push(toAnswerMessage(message.id, chunks, { usage: totalUsage(answer) }));
  }
  return jsonResponse({
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
  return jsonResponse({ chats: listed, more: all.length - listed.length });
};

/** Stops the answer, or denies its pending approvals. */
export const stopChat = async (context: ChatRequestContext, chatId: string): Promise<Response> => {
  const chat = identityOf(context, chatId);
  const { chats, toFailureText } = context;
  const live = findLiveAnswer(chats, chat);
  if (live !== undefined) return await stopLiveAnswer(live);
  const record = await chats.find(chat);
  if (record === undefined) throw chatNotFoundError();
  if (record.run.isHeld === true) throw otherProcessError();
  const messageId = lastUserMessage(record.run.messages)?.id;
  const answer = messageId && findAnswer(record.run.messages, messageId, record.questions);
  if (!messageId || !answer || answerStatusOf(answer) !== "waiting") return jsonResponse({ stopped: false });
  await denyPending(context, record.questions);
  const settling = startAnswer(chats, chat, { messageId, settlesOnly: true }, toFailureText);
  await settling.accepted;
  await settling.over;
  return jsonResponse({ stopped: true });
};

const stopLiveAnswer = async ({ stop, over }: LiveAnswer): Promise<Response> => {
  if (stop === undefined) throw otherProcessError();
  stop();
  await over;
  return jsonResponse({ stopped: true });
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

const otherProcessError = (): HttpError =>
  new HttpError(409, "elsewhere", "Another process writes this answer, and only that process can stop it.");

/** Audit records of the calls remain. */
export const deleteChat = async (context: ChatRequestContext, chatId: string): Promise<Response> => {
  const { chats } = context;
  const chat = identityOf(context, chatId);
  const live = findLiveAnswer(chats, chat);
  live?.stop?.();
  if (live?.stop !== undefined) await live.over;
  if (!(await chats.remove(chat))) throw chatNotFoundError();
  return noContentResponse();
};
