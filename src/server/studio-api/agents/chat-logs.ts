import { randomUUID } from "node:crypto";
import type { Message } from "../../../types/message.ts";
import type { StudioAgentOptions } from "../studio-options.ts";
import type { ChatEvent } from "../types/agents.ts";

type DoneEvent = Extract<ChatEvent, { kind: "done" }>;

/** The events of one conversation, for a page that is opened again or in another tab. */
export interface ChatLog {
  readonly id: string;
  /** With the model that the chat was started with. */
  readonly agent: StudioAgentOptions;
  /** Sends one event to the readers, and keeps it. */
  readonly tell: (event: ChatEvent) => void;
  /** All events so far. Consecutive text is one event. */
  readonly told: () => readonly ChatEvent[];
  /** Calls back with each event from now on, and with `undefined` when the answer is complete. */
  readonly hear: (listener: (event: ChatEvent | undefined) => void) => () => void;
  /** Whether an answer is being written in this process. */
  readonly isLive: () => boolean;
  /** Marks the chat as live until `over` resolves. */
  readonly begin: (stop: () => void, over: Promise<void>) => void;
  readonly stop: () => boolean;
  /** Whether one of its answers is this run. */
  readonly hasRun: (runId: string) => boolean;
  /** How the last run ended, or that it is pending. */
  readonly lastRun: () => DoneEvent | undefined;
  /** Replaces all events, after another process resumed the run. */
  readonly replace: (events: readonly ChatEvent[]) => void;
}

/** The chats of one Studio. After a restart a chat is read from the ledger, by the id of its last run. */
export interface ChatLogs {
  readonly open: (agent: StudioAgentOptions) => ChatLog;
  /** By its id, or by the id of one of its runs. */
  readonly find: (id: string) => ChatLog | undefined;
  /** Keeps the conversation of a run that ended, because a ledger drops it unless it keeps payloads. */
  readonly keepContext: (runId: string, context: readonly Message[]) => void;
  readonly contextOf: (runId: string) => readonly Message[] | undefined;
}

const maxChats = 100;
/** The oldest answers of a longer chat are dropped. */
const maxChatLogLength = 4_000_000;

export const createChatLogs = (): ChatLogs => {
  const chats = new Map<string, ChatLog>();
  const contexts = new Map<string, readonly Message[]>();
  return {
    open: (agent) => {
      const chat = createChatLog(`chat-${randomUUID()}`, agent);
      for (const [id, each] of chats) if (chats.size >= maxChats && !each.isLive()) chats.delete(id);
      chats.set(chat.id, chat);
      return chat;
    },
    find: (id) => {
      const found = chats.get(id) ?? [...chats.values()].find(({ hasRun }) => hasRun(id));
      if (found === undefined) return undefined;
      // The least recently used chat is dropped first.
      chats.delete(found.id);
      chats.set(found.id, found);
      return found;
    },
    keepContext: (runId, context) => {
      contexts.delete(runId);
      contexts.set(runId, context);
      if (contexts.size > maxChats) contexts.delete(contexts.keys().next().value!);
    },
    contextOf: (runId) => contexts.get(runId),
  };
};

const createChatLog = (id: string, agent: StudioAgentOptions): ChatLog => {
  /** One list for each message that was answered. */
  let eventsByAnswer: ChatEvent[][] = [];
  const listeners = new Set<(event: ChatEvent | undefined) => void>();
  const runIds = new Set<string>();
  let last: DoneEvent | undefined;
  let length = 0;
  let stopAnswer: (() => void) | undefined;
  const record = (event: ChatEvent): void => {
    if (event.kind === "done") {
      last = event;
      runIds.add(event.runId);
    }
    if (event.kind === "approval") runIds.add(event.approval.runId);
    if (event.kind === "begun" || eventsByAnswer.length === 0) eventsByAnswer.push([]);
    const answer = eventsByAnswer.at(-1)!;
    const joined = mergeEvents(answer.at(-1), event);
    if (joined === undefined) answer.push(event);
    else answer[answer.length - 1] = joined;
    length += eventLength(event);
    while (length > maxChatLogLength && eventsByAnswer.length > 1) {
      length -= eventsByAnswer.shift()!.reduce((sum, each) => sum + eventLength(each), 0);
    }
  };
  return {
    id,
    agent,
    tell: (event) => {
      record(event);
      for (const listener of listeners) listener(event);
    },
    told: () => eventsByAnswer.flat(),
    hear: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    isLive: () => stopAnswer !== undefined,
    begin: (stop, over) => {
      stopAnswer = stop;
      void over.finally(() => {
        stopAnswer = undefined;
        for (const listener of [...listeners]) listener(undefined);
      });
    },
    stop: () => {
      stopAnswer?.();
      return stopAnswer !== undefined;
    },
    hasRun: (runId) => runIds.has(runId),
    lastRun: () => last,
    replace: (events) => {
      eventsByAnswer = [];
      length = 0;
      for (const event of events) record(event);
    },
  };
};

const mergeEvents = (last: ChatEvent | undefined, event: ChatEvent): ChatEvent | undefined => {
  if (event.kind !== "text" && event.kind !== "reasoning") return undefined;
  if (last?.kind !== event.kind || last.agent !== event.agent) return undefined;
  return { ...last, text: last.text + event.text };
};

const eventLength = (event: ChatEvent): number =>
  ("text" in event ? event.text.length : 0) + ("input" in event ? event.input.length : 0) + 200;
