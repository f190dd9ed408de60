import { isSameJson } from "../json/same-json.ts";
import type { ChatIdentity } from "../runtime/chat/chat-identity.ts";
import type { ChatRecord } from "../runtime/chat/chats.ts";
import { liveAnswer, writeAnswer } from "./live-answers.ts";
import type { SentMessage } from "./request/read-post.ts";
import { busy, questionOpen, Refusal } from "./request/refusal.ts";
import { answerTo, lastUserMessage, standingOf } from "./stream/answer.ts";
import { goOn, type Visit, viewKept, viewLive } from "./visit.ts";

/** A person says something. The same message twice is one message, and has one answer. */
export const sendMessage = async (
  visit: Visit,
  chat: ChatIdentity,
  message: SentMessage,
  isAgain: boolean,
): Promise<Response> => {
  const { chats, tellFailure } = visit;
  for (;;) {
    const live = liveAnswer(chats, chat);
    if (live !== undefined) {
      if (live.messageId !== message.id) throw busy();
      return await viewLive(visit, chat, live);
    }
    const record = await chats.find(chat);
    if (liveAnswer(chats, chat) !== undefined) continue;
    const sent = record?.run.messages.find((each) => each.role === "user" && each.id === message.id);
    if (record !== undefined && sent !== undefined) {
      if (!isSameJson(sent.content, message.content)) throw changed();
      return await sendAgain(visit, chat, message, record, isAgain);
    }
    if (record !== undefined) refuseUnfinished(record);
    const writing = writeAnswer(chats, chat, { messageId: message.id, says: message }, tellFailure);
    return await viewLive(visit, chat, writing);
  }
};

/** A message that the ledger has: its answer is told again, or gone on with where it was never finished. */
const sendAgain = async (
  visit: Visit,
  chat: ChatIdentity,
  { id }: SentMessage,
  record: ChatRecord,
  isAgain: boolean,
): Promise<Response> => {
  const { run, questions } = record;
  const answer = answerTo(run.messages, id, questions)!;
  const standing = standingOf(answer);
  const isLast = lastUserMessage(run.messages)?.id === id;
  if (isLast && (run.isHeld === true || standing === "unfinished" || standing === "answered")) {
    return await viewLive(visit, chat, goOn(visit, chat, id, record));
  }
  if (isAgain) throw isLast && standing === "waiting" ? questionOpen() : answered();
  return viewKept(visit, chat, id, answer);
};

/** Nothing is said while an answer is being written, or while one waits for a person. */
const refuseUnfinished = ({ run, questions }: ChatRecord): void => {
  if (run.isHeld === true) throw busy();
  const last = lastUserMessage(run.messages);
  const answer = last?.id === undefined ? undefined : answerTo(run.messages, last.id, questions);
  if (answer !== undefined && standingOf(answer) === "waiting") throw questionOpen();
};

const changed = (): Refusal =>
  new Refusal(
    409,
    "message_changed",
    "This message was sent before with other words. What was said stays said: send the new words as a new message.",
  );

const answered = (): Refusal =>
  new Refusal(
    409,
    "answered",
    "This message has its answer, and the calls that were made for it stay made. Ask again in a new message.",
  );
