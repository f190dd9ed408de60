import * as Effect from "effect/Effect";
import { ChatClaimRefusal, type ChatIdentity } from "../../runtime/chat/claim-chat.ts";
import type { ChatRecord, Chats } from "../../runtime/chat/open-chats.ts";
import type { SharedRuntime } from "../../runtime/shared-runtime.ts";
import type { AgentResponse } from "../../types/agent.ts";
import type { Message, UserMessage } from "../../types/message.ts";
import { approvalOpenError } from "./chat-errors.ts";
import { type AnswerEnding, AnswerLog } from "./stream/answer-log.ts";
import { answerStatusOf, type ChatAnswer, findAnswer } from "./stream/chat-answer.ts";

/** An answer being written, here or in another process. */
export interface LiveAnswer {
  /** Of the user message. */
  readonly messageId: string;
  readonly log: AnswerLog;
  /** Undefined while another process writes. */
  stop: (() => void) | undefined;
  /** Resolves once the chat is claimed and the message recorded. */
  readonly accepted: Promise<void>;
  readonly over: Promise<void>;
  /** Following another process ends without viewers. */
  viewers: number;
}

export interface AnswerWriteRequest {
  readonly messageId: string;
  /** If unset, the unfinished answer is resumed. */
  readonly says?: UserMessage;
  readonly settlesOnly?: boolean;
}

const answersByRuntime = new WeakMap<SharedRuntime, Map<string, LiveAnswer>>();

const liveAnswersOf = ({ shared }: Chats): Map<string, LiveAnswer> => {
  const known = answersByRuntime.get(shared) ?? new Map<string, LiveAnswer>();
  answersByRuntime.set(shared, known);
  return known;
};

export const findLiveAnswer = (chats: Chats, { runId }: ChatIdentity): LiveAnswer | undefined =>
  liveAnswersOf(chats).get(runId);

export type FailureTextOf = (error: unknown, chat: ChatIdentity) => string;

/** Disconnecting viewers do not stop the answer. The caller has checked that none is live. */
export const startAnswer = (
  chats: Chats,
  chat: ChatIdentity,
  request: AnswerWriteRequest,
  toFailureText: FailureTextOf,
): LiveAnswer => {
  const log = new AnswerLog();
  return registerAnswer(
    chats,
    chat,
    request.messageId,
    log,
    runAnswer(chats, chat, request, log, toFailureText),
  );
};

interface RunningAnswer {
  readonly accepted: Promise<void>;
  readonly over: Promise<void>;
  readonly stop: () => void;
}

const runAnswer = (
  chats: Chats,
  chat: ChatIdentity,
  { messageId, says, settlesOnly = false }: AnswerWriteRequest,
  log: AnswerLog,
  toFailureText: FailureTextOf,
): RunningAnswer => {
  const stopped = new AbortController();
  const { promise: accepted, resolve: accept, reject: refuse } = Promise.withResolvers<void>();
  accepted.catch(() => {});
  const onRecorded = (messages: readonly Message[]) =>
    Effect.map(chats.questions(chat), (questions) => {
      const answer = findAnswer(messages, messageId, questions);
      if (answer === undefined) return;
      log.record(answer);
      accept();
    });
  const { signal } = stopped;
  const answering = { chat, says, settlesOnly, signal, onKept: onRecorded };
  const finished = chats
    .answer({ ...answering, tell: (event) => log.onEvent(event), brokenOff: () => log.brokenOff })
    .then(
      (response) => {
        // No effect if accepted; otherwise an approval became pending meanwhile.
        refuse(approvalOpenError());
        log.end(endingOfRun(response));
      },
      (error: unknown) => {
        refuse(error);
        // Another process has the claim and writes the answer.
        if (!(error instanceof ChatClaimRefusal))
          log.end({ kind: "failed", text: toFailureText(error, chat) });
      },
    );
  return { accepted, over: finished, stop: () => stopped.abort() };
};

const registerAnswer = (
  chats: Chats,
  { runId }: ChatIdentity,
  messageId: string,
  log: AnswerLog,
  { accepted, over, stop }: Omit<RunningAnswer, "stop"> & { readonly stop?: () => void },
): LiveAnswer => {
  const all = liveAnswersOf(chats);
  const live: LiveAnswer = {
    messageId,
    log,
    accepted,
    stop,
    over: over.finally(() => {
      if (all.get(runId) === live) all.delete(runId);
    }),
    viewers: 0,
  };
  all.set(runId, live);
  return live;
};

const endingOfRun = ({ status, reason = "" }: AgentResponse): AnswerEnding => {
  if (status === "done") return { kind: "done" };
  if (status === "pending") return { kind: "waiting" };
  return status === "cancelled" ? { kind: "aborted" } : { kind: "stopped", reason };
};

const recordPollMs = 250;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Follows another process's answer in the ledger. If that process dies, this one resumes it. */
export const followRemoteAnswer = (
  chats: Chats,
  chat: ChatIdentity,
  messageId: string,
  toFailureText: FailureTextOf,
): LiveAnswer => {
  const log = new AnswerLog();
  const { promise: accepted, resolve: accept } = Promise.withResolvers<void>();
  const follow = async (): Promise<void> => {
    for (;;) {
      const record = await chats.find(chat);
      const answer = record && findAnswer(record.run.messages, messageId, record.questions);
      if (record === undefined || answer === undefined) return log.end({ kind: "aborted" });
      log.record(answer);
      accept();
      if (record.run.isHeld !== true) await resumeAfter(record, answer);
      if (log.ending !== undefined) return;
      await sleep(recordPollMs);
      if (live.viewers === 0) return log.end({ kind: "aborted" });
    }
  };
  const resumeAfter = async ({ run }: ChatRecord, answer: ChatAnswer): Promise<void> => {
    const isLeft = run.status === "running" && answerStatusOf(answer) !== "complete";
    if (!isLeft) return log.end(endingOfRecord(answer));
    const written = runAnswer(chats, chat, { messageId }, log, toFailureText);
    live.stop = written.stop;
    await written.over;
    live.stop = undefined;
  };
  const finished = follow().catch((error: unknown) => {
    accept();
    log.end({ kind: "failed", text: toFailureText(error, chat) });
  });
  const live = registerAnswer(chats, chat, messageId, log, { accepted, over: finished });
  return live;
};

export const recordedAnswerLog = (answer: ChatAnswer): AnswerLog => {
  const log = new AnswerLog();
  log.record(answer);
  log.end(endingOfRecord(answer));
  return log;
};

const endingOfRecord = (answer: ChatAnswer): AnswerEnding => {
  const answerStatus = answerStatusOf(answer);
  if (answerStatus === "complete") return { kind: "done" };
  return answerStatus === "unfinished" ? { kind: "aborted" } : { kind: "waiting" };
};
