import { type ChatIdentity, readPerson } from "../runtime/chat/chat-identity.ts";
import type { ChatQuestion, ChatRecord, Chats } from "../runtime/chat/chats.ts";
import type { Principal } from "../words/principal.ts";
import type { ReadHandlerOptions } from "./handler-options.ts";
import {
  followAnswer,
  keptAnswer,
  type LiveAnswer,
  liveAnswer,
  type TellFailure,
  writeAnswer,
} from "./live-answers.ts";
import { Refusal } from "./request/refusal.ts";
import { type Answer, answerTo, standingOf } from "./stream/answer.ts";
import type { AnswerLog } from "./stream/answer-log.ts";
import { streamAnswer } from "./stream/stream-answer.ts";

/** One request of a person, and all that answering it needs. */
export interface Visit {
  readonly request: Request;
  readonly person: Principal;
  readonly chats: Chats;
  /** Makes room for another page once this one has read its answer. */
  readonly leave: () => void;
  readonly options: ReadHandlerOptions;
  readonly tellFailure: TellFailure;
  /** Who answers a question in this page, if the person may. */
  readonly approver: (question: ChatQuestion) => Promise<string | undefined>;
}

/** Who is speaking is the caller's word alone. */
export const personOf = async (request: Request, { principal }: ReadHandlerOptions): Promise<Principal> => {
  const given = await principal(request);
  if (given === undefined) throw new Refusal(401, "unauthenticated", "Sign in first.");
  return readPerson(given);
};

/** Asked once for each question of a request. */
export const approverOf = (
  request: Request,
  person: Principal,
  { approver }: ReadHandlerOptions,
): Visit["approver"] => {
  const asked = new Map<string, Promise<string | undefined>>();
  return (question) => {
    const known = asked.get(question.id) ?? ask(question);
    asked.set(question.id, known);
    return known;
  };

  async function ask(question: ChatQuestion): Promise<string | undefined> {
    const by = approver === undefined ? person.user : await approver(request, question);
    return typeof by === "string" && by !== "" ? by : undefined;
  }
};

/** Streams an answer that is being written. */
export const viewLive = async (
  visit: Visit,
  chat: ChatIdentity,
  live: LiveAnswer,
  afterCall?: string,
): Promise<Response> => {
  await live.accepted;
  const after = afterCall === undefined ? undefined : live.log.stepOf(afterCall);
  live.viewers += 1;
  return view(visit, chat, live.messageId, live.log, after, () => {
    live.viewers -= 1;
  });
};

/** Streams an answer as it stands on record. */
export const viewKept = (
  visit: Visit,
  chat: ChatIdentity,
  messageId: string,
  answer: Answer,
  afterCall?: string,
): Response => {
  const log = keptAnswer(answer);
  const after = afterCall === undefined ? undefined : log.stepOf(afterCall);
  return view(visit, chat, messageId, log, after, () => {});
};

const view = (
  visit: Visit,
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
    mayAnswer: async (question) => (await visit.approver(question)) !== undefined,
    goesOn: (_, signal) => answeredElsewhere(visit, chat, messageId, signal),
    onClosed: () => {
      visit.leave();
      onClosed();
    },
  });
};

const lookAgainMs = 1_000;

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Where this person may not answer, their page waits for whoever may. */
const answeredElsewhere = async (
  visit: Visit,
  chat: ChatIdentity,
  messageId: string,
  signal: AbortSignal,
): Promise<AnswerLog | undefined> => {
  while (!signal.aborted) {
    const record = await visit.chats.find(chat);
    const answer = record && answerTo(record.run.messages, messageId, record.questions);
    if (record === undefined || answer === undefined) return undefined;
    const standing = standingOf(answer);
    if (standing === "waiting" && record.run.isHeld !== true) {
      if (await mayAnswerAny(visit, answer)) return undefined;
      await pause(lookAgainMs, signal);
      continue;
    }
    if (standing === "complete") return keptAnswer(answer);
    const live = goOn(visit, chat, messageId, record);
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
    await pause(lookAgainMs, signal);
  }
  return undefined;
};

/** The answer that is live, the one of another process, or what is left of it, from now on. */
export const goOn = (
  { chats, tellFailure }: Visit,
  chat: ChatIdentity,
  messageId: string,
  { run }: ChatRecord,
): LiveAnswer =>
  liveAnswer(chats, chat) ??
  (run.isHeld === true
    ? followAnswer(chats, chat, messageId, tellFailure)
    : writeAnswer(chats, chat, { messageId }, tellFailure));

export const mayAnswerAny = async (visit: Visit, { messages, questions }: Answer): Promise<boolean> => {
  const asked = messages.flatMap((one) => (one.role === "tool" ? [one.pending] : []));
  for (const question of questions) {
    const isAsked = question.isOpen && asked.includes(question.id);
    if (isAsked && (await visit.approver(question)) !== undefined) return true;
  }
  return false;
};
