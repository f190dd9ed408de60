import * as Effect from "effect/Effect";
import type { ChatIdentity } from "../runtime/chat/chat-identity.ts";
import type { ChatRecord, Chats } from "../runtime/chat/chats.ts";
import { Unclaimable } from "../runtime/chat/claim-chat.ts";
import type { Shared } from "../runtime/shared.ts";
import type { AgentResponse } from "../words/agent.ts";
import type { Message, UserMessage } from "../words/message.ts";
import { questionOpen } from "./request/refusal.ts";
import { type Answer, answerTo, standingOf } from "./stream/answer.ts";
import { type AnswerEnding, AnswerLog } from "./stream/answer-log.ts";

/** An answer that is being written, here or in another process. */
export interface LiveAnswer {
  /** The message that it answers. */
  readonly messageId: string;
  readonly log: AnswerLog;
  /** Stops it. Nothing while another process writes it. */
  stop: (() => void) | undefined;
  /** Settled once the chat is ours and the message is on record, or why it is not. */
  readonly accepted: Promise<void>;
  readonly over: Promise<void>;
  /** How many pages read it: nobody follows another process for nobody. */
  viewers: number;
}

/** What is to be written. */
export interface Writing {
  readonly messageId: string;
  /** Without it, what is left of the answer. */
  readonly says?: UserMessage;
  readonly settlesOnly?: boolean;
}

const lives = new WeakMap<Shared, Map<string, LiveAnswer>>();

/** Those of one runtime, by the run of their chat, whichever handler began them. */
const livesOf = ({ shared }: Chats): Map<string, LiveAnswer> => {
  const known = lives.get(shared) ?? new Map<string, LiveAnswer>();
  lives.set(shared, known);
  return known;
};

export const liveAnswer = (chats: Chats, { runId }: ChatIdentity): LiveAnswer | undefined =>
  livesOf(chats).get(runId);

/** Says how a failure is told to a page. */
export type TellFailure = (error: unknown, chat: ChatIdentity) => string;

/** Writes an answer, whoever reads it: a page that goes away does not stop it. The caller has looked that none is live. */
export const writeAnswer = (
  chats: Chats,
  chat: ChatIdentity,
  writing: Writing,
  tellFailure: TellFailure,
): LiveAnswer => {
  const log = new AnswerLog();
  return register(chats, chat, writing.messageId, log, write(chats, chat, writing, log, tellFailure));
};

interface Written {
  readonly accepted: Promise<void>;
  readonly over: Promise<void>;
  readonly stop: () => void;
}

const write = (
  chats: Chats,
  chat: ChatIdentity,
  { messageId, says, settlesOnly = false }: Writing,
  log: AnswerLog,
  tellFailure: TellFailure,
): Written => {
  const stopped = new AbortController();
  const { promise: accepted, resolve: accept, reject: refuse } = Promise.withResolvers<void>();
  accepted.catch(() => {});
  const onKept = (messages: readonly Message[]) =>
    Effect.map(chats.questions(chat), (questions) => {
      const answer = answerTo(messages, messageId, questions);
      if (answer === undefined) return;
      log.keep(answer);
      accept();
    });
  const { signal } = stopped;
  const answering = { chat, says, settlesOnly, signal, onKept };
  const over = chats
    .answer({ ...answering, tell: (event) => log.hear(event), brokenOff: () => log.brokenOff })
    .then(
      (response) => {
        // What waits for a person came to be while the message was on its way: it is not taken.
        refuse(questionOpen());
        log.end(endingOf(response));
      },
      (error: unknown) => {
        refuse(error);
        // Then another process writes it, and whoever asked reads along.
        if (!(error instanceof Unclaimable)) log.end({ kind: "failed", text: tellFailure(error, chat) });
      },
    );
  return { accepted, over, stop: () => stopped.abort() };
};

const register = (
  chats: Chats,
  { runId }: ChatIdentity,
  messageId: string,
  log: AnswerLog,
  { accepted, over, stop }: Omit<Written, "stop"> & { readonly stop?: () => void },
): LiveAnswer => {
  const all = livesOf(chats);
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

const endingOf = ({ status, reason = "" }: AgentResponse): AnswerEnding => {
  if (status === "done") return { kind: "done" };
  if (status === "pending") return { kind: "waiting" };
  return status === "cancelled" ? { kind: "aborted" } : { kind: "stopped", reason };
};

const lookAgainMs = 250;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Reads along while another process writes: each model message and each result once it is on record. If that process dies,
 * this one goes on with the answer.
 */
export const followAnswer = (
  chats: Chats,
  chat: ChatIdentity,
  messageId: string,
  tellFailure: TellFailure,
): LiveAnswer => {
  const log = new AnswerLog();
  const { promise: accepted, resolve: accept } = Promise.withResolvers<void>();
  const follow = async (): Promise<void> => {
    for (;;) {
      const record = await chats.find(chat);
      const answer = record && answerTo(record.run.messages, messageId, record.questions);
      if (record === undefined || answer === undefined) return log.end({ kind: "aborted" });
      log.keep(answer);
      accept();
      if (record.run.isHeld !== true) await goOnFrom(record, answer);
      if (log.ending !== undefined) return;
      await pause(lookAgainMs);
      if (live.viewers === 0) return log.end({ kind: "aborted" });
    }
  };
  const goOnFrom = async ({ run }: ChatRecord, answer: Answer): Promise<void> => {
    const isLeft = run.status === "running" && standingOf(answer) !== "complete";
    if (!isLeft) return log.end(leftEnding(answer));
    const written = write(chats, chat, { messageId }, log, tellFailure);
    live.stop = written.stop;
    await written.over;
    live.stop = undefined;
  };
  const over = follow().catch((error: unknown) => {
    accept();
    log.end({ kind: "failed", text: tellFailure(error, chat) });
  });
  const live = register(chats, chat, messageId, log, { accepted, over });
  return live;
};

/** An answer as it stands on record, when nobody writes it. */
export const keptAnswer = (answer: Answer): AnswerLog => {
  const log = new AnswerLog();
  log.keep(answer);
  log.end(leftEnding(answer));
  return log;
};

const leftEnding = (answer: Answer): AnswerEnding => {
  const standing = standingOf(answer);
  if (standing === "complete") return { kind: "done" };
  return standing === "unfinished" ? { kind: "aborted" } : { kind: "waiting" };
};
