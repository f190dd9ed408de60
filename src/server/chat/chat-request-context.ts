import type { ChatIdentity } from "../../runtime/chat/claim-chat.ts";
import type { ChatApproval, ChatRecord, Chats } from "../../runtime/chat/open-chats.ts";
import type { Principal } from "../../types/principal.ts";
import { eventStream, toEventText } from "../request/event-stream.ts";
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
import { answerIdOf, answerStatusOf, type ChatAnswer, findAnswer } from "./stream/chat-answer.ts";
import { chunkForViewer, endingChunks, isAfterStep } from "./stream/chunk-for-viewer.ts";
import type { UiChunk } from "./stream/ui-chunk.ts";

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

interface AnswerView {
  readonly messageId: string;
  readonly log: AnswerLog;
  /** The page already has the answer up to this step. */
  readonly after?: number | undefined;
  readonly mayAnswer: (question: ChatApproval) => Promise<boolean>;
  /** The continued answer, after another person has answered. Undefined if this person may answer. */
  readonly goesOn: (log: AnswerLog, signal: AbortSignal) => Promise<AnswerLog | undefined>;
  readonly onClosed: () => void;
}

/** An AI SDK UI message stream with backpressure. Canceling it does not stop the answer. */
const streamAnswer = (view: AnswerView): Response =>
  eventStream({ headers: { "x-vercel-ai-ui-message-stream": "v1" } }, ({ write, ready, end, fail }) => {
    const disconnected = new AbortController();
    const writeAll = async (): Promise<void> => {
      for await (const text of sseTexts(view, disconnected.signal)) {
        write(text);
        await ready();
      }
    };
    void writeAll().then(end, fail);
    return () => {
      disconnected.abort();
      view.onClosed();
    };
  });

const toSseText = (chunk: UiChunk): string => toEventText({ data: chunk });

async function* sseTexts(view: AnswerView, gone: AbortSignal): AsyncGenerator<string> {
  const { messageId, mayAnswer } = view;
  let { log, after } = view;
  let read = 0;
  let step = after ?? 0;
  yield toSseText({ type: "start", messageId: answerIdOf(messageId) });
  while (!gone.aborted) {
    let text = "";
    for (; read < log.entries.length; read += 1) {
      const entry = log.entries[read]!;
      if (after !== undefined && !isAfterStep(after, entry)) continue;
      step = Math.max(step, entry.step);
      const { question } = entry;
      text += toSseText(chunkForViewer(entry, question === undefined || (await mayAnswer(question))));
    }
    if (text !== "") yield text;
    if (read < log.entries.length) continue;
    if (log.ending === undefined) {
      await log.waitForMore(read, gone);
      continue;
    }
    const next = log.ending.kind === "waiting" ? await view.goesOn(log, gone) : undefined;
    if (next === undefined) break;
    log = next;
    after = step;
    read = 0;
  }
  if (gone.aborted || log.ending === undefined) return;
  yield `${endingChunks(log.ending, log).map(toSseText).join("")}data: [DONE]\n\n`;
}

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
