import { isSameJson } from "../../base/json/is-same-json.ts";
import type { ChatIdentity } from "../../runtime/chat/chat-identity.ts";
import type { ChatRecord } from "../../runtime/chat/open-chats.ts";
import {
  type ChatRequestContext,
  continueAnswer,
  streamLiveAnswer,
  streamRecordedAnswer,
} from "./chat-request-context.ts";
import { findLiveAnswer, startAnswer } from "./live-answers.ts";
import { approvalOpenError, ChatError, chatBusyError } from "./request/chat-error.ts";
import type { ChatUserMessage } from "./request/read-post.ts";
import { answerStatusOf, findAnswer, lastUserMessage } from "./stream/chat-answer.ts";

/** Idempotent by message ID. */
export const sendMessage = async (
  visit: ChatRequestContext,
  chat: ChatIdentity,
  message: ChatUserMessage,
  isRegeneration: boolean,
): Promise<Response> => {
  const { chats, toFailureText } = visit;
  for (;;) {
    const live = findLiveAnswer(chats, chat);
    if (live !== undefined) {
      if (live.messageId !== message.id) throw chatBusyError();
      return await streamLiveAnswer(visit, chat, live);
    }
    const record = await chats.find(chat);
    if (findLiveAnswer(chats, chat) !== undefined) continue;
    const sent = record?.run.messages.find((each) => each.role === "user" && each.id === message.id);
    if (record !== undefined && sent !== undefined) {
      if (!isSameJson(sent.content, message.content)) throw messageChangedError();
      return await replayMessage(visit, chat, message, record, isRegeneration);
    }
    if (record !== undefined) requireNoOpenAnswer(record);
    const writing = startAnswer(chats, chat, { messageId: message.id, says: message }, toFailureText);
    return await streamLiveAnswer(visit, chat, writing);
  }
};

/** Replays a recorded answer, or resumes it if it is unfinished. */
const replayMessage = async (
  visit: ChatRequestContext,
  chat: ChatIdentity,
  { id }: ChatUserMessage,
  record: ChatRecord,
  isRegeneration: boolean,
): Promise<Response> => {
  const { run, questions } = record;
  const answer = findAnswer(run.messages, id, questions)!;
  const answerStatus = answerStatusOf(answer);
  const isLast = lastUserMessage(run.messages)?.id === id;
  if (isLast && (run.isHeld === true || answerStatus === "unfinished" || answerStatus === "answered")) {
    return await streamLiveAnswer(visit, chat, continueAnswer(visit, chat, id, record));
  }
  if (isRegeneration)
    throw isLast && answerStatus === "waiting" ? approvalOpenError() : messageAnsweredError();
  return streamRecordedAnswer(visit, chat, id, answer);
};

const requireNoOpenAnswer = ({ run, questions }: ChatRecord): void => {
  if (run.isHeld === true) throw chatBusyError();
  const last = lastUserMessage(run.messages);
  const answer = last?.id === undefined ? undefined : findAnswer(run.messages, last.id, questions);
  if (answer !== undefined && answerStatusOf(answer) === "waiting") throw approvalOpenError();
};

const messageChangedError = (): ChatError =>
  new ChatError(
    409,
    "message_changed",
    "A message with this id was already sent with other content, and sent messages cannot change. Send a new message.",
  );

const messageAnsweredError = (): ChatError =>
  new ChatError(
    409,
    "answered",
    "This message is already answered, and its calls cannot be undone. Ask again in a new message.",
  );
