import type { ChatIdentity } from "../runtime/chat/chat-identity.ts";
import { type LiveAnswer, liveAnswer, writeAnswer } from "./live-answers.ts";
import { notFound, Refusal, toJson } from "./request/refusal.ts";
import { answerTo, lastUserMessage, standingOf, usageOf } from "./stream/answer.ts";
import { entriesOf } from "./stream/answer-entries.ts";
import type { Chunk } from "./stream/chunk.ts";
import { shownChunk } from "./stream/shown-chunk.ts";
import { titleOf, toAnswerMessage, toUserMessage, type UiMessage } from "./stream/to-ui-message.ts";
import { goOn, mayAnswerAny, type Visit, viewKept, viewLive } from "./visit.ts";

/** Goes on after a reload: the present answer from its beginning, and then live. Nothing where none is under way. */
export const resumeStream = async (visit: Visit, chat: ChatIdentity): Promise<Response> => {
  const { chats } = visit;
  const record = await chats.find(chat);
  const live = liveAnswer(chats, chat);
  if (live !== undefined) return await viewLive(visit, chat, live);
  const messageId = record && lastUserMessage(record.run.messages)?.id;
  const answer = record && messageId && answerTo(record.run.messages, messageId, record.questions);
  if (record === undefined || !messageId || !answer) return nothingUnderWay();
  const { isHeld, status } = record.run;
  const standing = standingOf(answer);
  const isLeft = isHeld !== true && standing !== "complete" && standing !== "waiting" && status === "running";
  if (isHeld === true || isLeft || standing === "answered") {
    return await viewLive(visit, chat, goOn(visit, chat, messageId, record));
  }
  // Whoever may answer has buttons; a page that is still reading would not send what they say.
  if (standing !== "waiting" || (await mayAnswerAny(visit, answer))) return nothingUnderWay();
  return viewKept(visit, chat, messageId, answer);
};

const nothingUnderWay = (): Response => new Response(null, { status: 204 });

/** The chat as the ledger has it, for `useChat({ messages })`. */
export const showChat = async (visit: Visit, chat: ChatIdentity): Promise<Response> => {
  const record = await visit.chats.find(chat);
  if (record === undefined) throw notFound();
  const { run, questions } = record;
  const messages: UiMessage[] = [];
  for (const message of run.messages) {
    if (message.role !== "user" || message.id === undefined) continue;
    messages.push(toUserMessage(message));
    const answer = answerTo(run.messages, message.id, questions)!;
    if (answer.messages.length === 0) continue;
    const chunks: Chunk[] = [];
    for (const entry of entriesOf(answer)) {
      const { question } = entry;
      chunks.push(
        shownChunk(entry, question === undefined || (await visit.approver(question)) !== undefined),
      );
    }
    messages.push(toAnswerMessage(message.id, chunks, { usage: usageOf(answer) }));
  }
  return toJson({ id: chat.chatId, title: titleOf(run.messages), usage: run.usage, messages });
};

const mostListed = 50;

/** This person's chats, the one that was used last first. Where nobody says who the person is, a chat is found by its id alone. */
export const listChats = async ({ chats, person }: Visit): Promise<Response> => {
  const all = person.user === undefined ? [] : await chats.list(person);
  const latest = [...all].sort((one, other) => other.updatedAt - one.updatedAt).slice(0, mostListed);
  const listed = await Promise.all(
    latest.map(async ({ principal, startedAt, updatedAt }) => {
      const id = principal?.session ?? "";
      const record = await chats.find(chats.identity(person, id));
      return { id, title: titleOf(record?.run.messages ?? []), startedAt, updatedAt };
    }),
  );
  return toJson({ chats: listed, more: all.length - listed.length });
};

/** Stops the answer, or takes back what waits for a person. */
export const stopChat = async (visit: Visit, chat: ChatIdentity): Promise<Response> => {
  const { chats, tellFailure } = visit;
  const live = liveAnswer(chats, chat);
  if (live !== undefined) return await stopLive(live);
  const record = await chats.find(chat);
  if (record === undefined) throw notFound();
  if (record.run.isHeld === true) throw elsewhere();
  const messageId = lastUserMessage(record.run.messages)?.id;
  const answer = messageId && answerTo(record.run.messages, messageId, record.questions);
  if (!messageId || !answer || standingOf(answer) !== "waiting") return toJson({ stopped: false });
  await withdraw(visit, record.questions);
  const settling = writeAnswer(chats, chat, { messageId, settlesOnly: true }, tellFailure);
  await settling.accepted;
  await settling.over;
  return toJson({ stopped: true });
};

const stopLive = async ({ stop, over }: LiveAnswer): Promise<Response> => {
  if (stop === undefined) throw elsewhere();
  stop();
  await over;
  return toJson({ stopped: true });
};

/** Whoever asked for a call may always take it back. */
const withdraw = async (
  { chats, person }: Visit,
  questions: readonly { readonly id: string; readonly isOpen: boolean }[],
): Promise<void> => {
  const decision = { kind: "deny", reason: "It was taken back in the chat." } as const;
  for (const { id, isOpen } of questions) {
    if (isOpen) await chats.decide(id, decision, person.user ?? person.agent);
  }
};

const elsewhere = (): Refusal =>
  new Refusal(409, "elsewhere", "Another process writes this answer, and only that one can stop it.");

/** Deletes what was said. What the audit keeps of its calls stays. */
export const deleteChat = async ({ chats }: Visit, chat: ChatIdentity): Promise<Response> => {
  const live = liveAnswer(chats, chat);
  live?.stop?.();
  if (live?.stop !== undefined) await live.over;
  if (!(await chats.remove(chat))) throw notFound();
  return nothingUnderWay();
};
