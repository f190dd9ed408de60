import { isSameJson } from "../../base/json/json-value.ts";
import type { ChatIdentity } from "../../runtime/chat/claim-chat.ts";
import type { ChatRecord } from "../../runtime/chat/open-chats.ts";
import { HttpError } from "../request/http-error.ts";
import { approvalOpenError, chatBusyError } from "./chat-errors.ts";
import {
  type ChatRequestContext,
  continueAnswer,
  streamLiveAnswer,
  streamRecordedAnswer,
} from "./chat-request-context.ts";
import { findLiveAnswer, startAnswer } from "./live-answers.ts";
import type { ChatUserMessage } from "./read-post.ts";
import { answerStatusOf, findAnswer, lastUserMessage } from "./stream/chat-answer.ts";

/** Idempotent by message ID. */
export const sendMessage = async (
  context: ChatRequestContext,
  chat: ChatIdentity,
  message: ChatUserMessage,
  isRegeneration: boolean,
): Promise<Response> => {
  const { chats, toFailureText } = context;
  for (;;) {
    const live = findLiveAnswer(chats, chat);
    if (live !== undefined) {
      if (live.messageId !== message.id) throw chatBusyError();
      return await streamLiveAnswer(context, chat, live);
    }
    const record = await chats.find(chat);
    if (findLiveAnswer(chats, chat) !== undefined) continue;
    const sent = record?.run.messages.find((each) => each.role === "user" && each.id === message.id);
    if (record !== undefined && sent !== undefined) {
      if (!isSameJson(sent.content, message.content)) throw messageChangedError();
      return await replayMessage(context, chat, message, record, isRegeneration);
    }
    if (record !== undefined) requireNoOpenAnswer(record);
    const writing = startAnswer(chats, chat, { messageId: message.id, says: message }, toFailureText);
    return await streamLiveAnswer(context, chat, writing);
  }
};

/** Replays a recorded answer, or resumes it if it is unfinished. */
const replayMessage = async (
  context: ChatRequestContext,
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
    return await streamLiveAnswer(context, chat, continueAnswer(context, chat, id, record));
  }
  if (isRegeneration)
    throw isLast && answerStatus === "waiting" ? approvalOpenError() : messageAnsweredError();
  return streamRecordedAnswer(context, chat, id, answer);
};

const requireNoOpenAnswer = ({ run, questions }: ChatRecord): void => {
  if (run.isHeld === true) throw chatBusyError();
  const last = lastUserMessage(run.messages);
  const answer = last?.id === undefined ? undefined : findAnswer(run.messages, last.id, questions);
  if (answer !== undefined && answerStatusOf(answer) === "waiting") throw approvalOpenError();
};

const messageChangedError = (): HttpError =>
  new HttpError(
    409,
    "message_changed",
    "A message with this id was already sent with other content, and sent messages cannot change. Send a new message.",
  );

const messageAnsweredError = (): HttpError =>
  new HttpError(
    409,
    "answered",
    "This message is already answered, and its calls cannot be undone. Ask again in a new message.",
  );
