import type { ChatIdentity } from "../../runtime/chat/chat-identity.ts";
import type { ChatApproval } from "../../runtime/chat/open-chats.ts";
import type { ApprovalDecision } from "../../types/approval.ts";
import {
  type ChatRequestContext,
  continueAnswer,
  streamLiveAnswer,
  streamRecordedAnswer,
} from "./chat-request-context.ts";
import { findLiveAnswer } from "./live-answers.ts";
import { ChatError, chatNotFoundError } from "./request/chat-error.ts";
import type { PageApprovalAnswer } from "./request/read-post.ts";
import { answerStatusOf, findAnswer, lastUserMessage } from "./stream/chat-answer.ts";

/** The first decision counts; the answer continues either way. */
export const answerChatApprovals = async (
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
      "Somebody else answers this question. The chat goes on when they have.",
    );
  }
  const decision: ApprovalDecision = approved
    ? // A session grant would also cover other chats with the same ID.
      { kind: "allow", ...(isForChat ? { always: "run" as const } : {}) }
    : { kind: "deny", ...(reason === undefined ? {} : { reason }) };
  await chats.decide(question.id, decision, by);
};

const approvalNotPendingError = (): ChatError =>
  new ChatError(409, "not_asked", "Nobody asks this in the chat. Load it anew to see how it stands.");
