import type { ChatIdentity } from "../runtime/chat/chat-identity.ts";
import type { ChatQuestion } from "../runtime/chat/chats.ts";
import type { ApprovalDecision } from "../words/approval.ts";
import { liveAnswer } from "./live-answers.ts";
import type { SentAnswer } from "./request/read-post.ts";
import { notFound, Refusal } from "./request/refusal.ts";
import { answerTo, lastUserMessage, standingOf } from "./stream/answer.ts";
import { goOn, type Visit, viewKept, viewLive } from "./visit.ts";

/** A person's word on calls that wait. Whoever was faster counts; the answer goes on either way. */
export const answerQuestions = async (
  visit: Visit,
  chat: ChatIdentity,
  answers: readonly SentAnswer[],
): Promise<Response> => {
  const { chats } = visit;
  const asked = await chats.find(chat);
  if (asked === undefined) throw notFound();
  const known = answers.flatMap((answer) => {
    const question = asked.questions.find(({ id }) => id === answer.approvalId);
    return question === undefined ? [] : [{ answer, question }];
  });
  if (known.length === 0) throw nobodyAsks();
  for (const { answer, question } of known) if (question.isOpen) await decide(visit, answer, question);
  const afterCall = known.at(-1)!.answer.toolCallId;
  const record = await chats.find(chat);
  const messageId = record && lastUserMessage(record.run.messages)?.id;
  const answer = record && messageId && answerTo(record.run.messages, messageId, record.questions);
  if (record === undefined || !messageId || !answer) throw notFound();
  const live = liveAnswer(chats, chat);
  if (live !== undefined) return await viewLive(visit, chat, live, afterCall);
  const standing = standingOf(answer);
  const { isHeld, status } = record.run;
  const isLeft = isHeld === true || standing === "waiting" || standing === "answered" || status === "running";
  return isLeft && standing !== "complete"
    ? await viewLive(visit, chat, goOn(visit, chat, messageId, record), afterCall)
    : viewKept(visit, chat, messageId, answer, afterCall);
};

const decide = async (
  { chats, approver }: Visit,
  { approved, reason, isForChat }: SentAnswer,
  question: ChatQuestion,
): Promise<void> => {
  const by = await approver(question);
  if (by === undefined) {
    throw new Refusal(
      403,
      "not_yours",
      "Somebody else answers this question. The chat goes on when they have.",
    );
  }
  const decision: ApprovalDecision = approved
    ? // A chat is one run: a yes for its session would hold for others that have the same id.
      { kind: "allow", ...(isForChat ? { always: "run" as const } : {}) }
    : { kind: "deny", ...(reason === undefined ? {} : { reason }) };
  await chats.decide(question.id, decision, by);
};

const nobodyAsks = (): Refusal =>
  new Refusal(409, "not_asked", "Nobody asks this in the chat. Load it anew to see how it stands.");
