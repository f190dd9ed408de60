import type { ChatIdentity } from "../../runtime/chat/chat-identity.ts";
import type { ChatApproval, ChatRecord, Chats } from "../../runtime/chat/open-chats.ts";
import type { Principal } from "../../types/principal.ts";
import type { AgentHandlerSettings } from "./handler-options.ts";
import {
  type FailureTextOf,
  findLiveAnswer,
  followRemoteAnswer,
  type LiveAnswer,
  recordedAnswerLog,
  startAnswer,
} from "./live-answers.ts";
import type { AnswerLog } from "./stream/answer-log.ts";
import { answerStatusOf, type ChatAnswer, findAnswer } from "./stream/chat-answer.ts";
import { streamAnswer } from "./stream/stream-answer.ts";

export interface ChatRequestContext {
  readonly person: Principal;
  readonly chats: Chats;
  readonly releaseSlot: () => void;
  readonly options: AgentHandlerSettings;
  readonly toFailureText: FailureTextOf;
  /** Name of the approver, or undefined if this person may not answer. */
  readonly approver: (question: ChatApproval) => Promise<string | undefined>;
}

export const createApproverLookup = (
  request: Request,
  person: Principal,
  { approver }: AgentHandlerSettings,
): ChatRequestContext["approver"] => {
  const lookups = new Map<string, Promise<string | undefined>>();
  return (question) => {
    const known = lookups.get(question.id) ?? ask(question);
    lookups.set(question.id, known);
    return known;
  };

  async function ask(question: ChatApproval): Promise<string | undefined> {
    const by = approver === undefined ? person.user : await approver(request, question);
    return typeof by === "string" && by !== "" ? by : undefined;
  }
};

export const streamLiveAnswer = async (
  context: ChatRequestContext,
  chat: ChatIdentity,
  live: LiveAnswer,
  afterCall?: string,
): Promise<Response> => {
  await live.accepted;
  const after = afterCall === undefined ? undefined : live.log.stepOf(afterCall);
  live.viewers += 1;
  return streamToViewer(context, chat, live.messageId, live.log, after, () => {
    live.viewers -= 1;
  });
};

export const streamRecordedAnswer = (
  context: ChatRequestContext,
  chat: ChatIdentity,
  messageId: string,
  answer: ChatAnswer,
  afterCall?: string,
): Response => {
  const log = recordedAnswerLog(answer);
  const after = afterCall === undefined ? undefined : log.stepOf(afterCall);
  return streamToViewer(context, chat, messageId, log, after, () => {});
};

const streamToViewer = (
  context: ChatRequestContext,
  chat: ChatIdentity,
  messageId: string,
  log: AnswerLog,
  after: number | undefined,
  onClosed: () => void,
): Response => {
  return streamAnswer({
    messageId,
    log,
    after,
    mayAnswer: async (question) => (await context.approver(question)) !== undefined,
    goesOn: (_, signal) => waitForExternalAnswer(context, chat, messageId, signal),
    onClosed: () => {
      context.releaseSlot();
      onClosed();
    },
  });
};

const approvalPollMs = 1_000;

const sleepUntilAborted = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Waits until another person has answered. */
const waitForExternalAnswer = async (
  context: ChatRequestContext,
  chat: ChatIdentity,
  messageId: string,
  signal: AbortSignal,
): Promise<AnswerLog | undefined> => {
  while (!signal.aborted) {
    const record = await context.chats.find(chat);
    const answer = record && findAnswer(record.run.messages, messageId, record.questions);
    if (record === undefined || answer === undefined) return undefined;
    const answerStatus = answerStatusOf(answer);
    if (answerStatus === "waiting" && record.run.isHeld !== true) {
      if (await canAnswerAny(context, answer)) return undefined;
      await sleepUntilAborted(approvalPollMs, signal);
      continue;
    }
    if (answerStatus === "complete") return recordedAnswerLog(answer);
    const live = continueAnswer(context, chat, messageId, record);
    const isOurs = await live.accepted.then(
      () => true,
      () => false,
    );
    if (isOurs) {
      live.viewers += 1;
      signal.addEventListener("abort", () => {
        live.viewers -= 1;
      });
      return live.log;
    }
    await sleepUntilAborted(approvalPollMs, signal);
  }
  return undefined;
};

/** The local answer, that of another process, or a new one for what is unfinished. */
export const continueAnswer = (
  { chats, toFailureText }: ChatRequestContext,
  chat: ChatIdentity,
  messageId: string,
  { run }: ChatRecord,
): LiveAnswer =>
  findLiveAnswer(chats, chat) ??
  (run.isHeld === true
    ? followRemoteAnswer(chats, chat, messageId, toFailureText)
    : startAnswer(chats, chat, { messageId }, toFailureText));

export const canAnswerAny = async (
  context: ChatRequestContext,
  { messages, questions }: ChatAnswer,
): Promise<boolean> => {
  const asked = messages.flatMap((one) => (one.role === "tool" ? [one.pending] : []));
  for (const question of questions) {
    const isAsked = question.isOpen && asked.includes(question.id);
    if (isAsked && (await context.approver(question)) !== undefined) return true;
  }
  return false;
};
