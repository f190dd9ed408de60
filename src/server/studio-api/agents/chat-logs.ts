import { randomUUID } from "node:crypto";
import type { Message } from "../../../types/message.ts";
import type { ChatEvent } from "../schemas/agents.ts";
import type { StudioAgentOptions } from "../studio-options.ts";

type DoneEvent = Extract<ChatEvent, { kind: "done" }>;

export interface ChatLog {
  readonly id: string;
  readonly agent: StudioAgentOptions;
  readonly append: (event: ChatEvent) => void;
  /** Consecutive text events are merged. */
  readonly events: () => readonly ChatEvent[];
  /** Gets `undefined` when the answer ends. */
  readonly subscribe: (listener: (event: ChatEvent | undefined) => void) => () => void;
  readonly isLive: () => boolean;
  readonly start: (stop: () => void, over: Promise<void>) => void;
  readonly stop: () => boolean;
  readonly hasRun: (runId: string) => boolean;
  readonly lastRun: () => DoneEvent | undefined;
  /** Used after another process has resumed the run. */
  readonly replace: (events: readonly ChatEvent[]) => void;
}

/** Recent chats, in memory. After a restart they are read from the ledger. */
export interface ChatLogs {
  readonly open: (agent: StudioAgentOptions) => ChatLog;
  /** By chat ID or run ID. */
  readonly find: (id: string) => ChatLog | undefined;
  /** Needed because ledgers delete the messages of finished runs by default. */
  readonly keepContext: (runId: string, context: readonly Message[]) => void;
  readonly contextOf: (runId: string) => readonly Message[] | undefined;
}

const maxChats = 100;
/** In characters. Older answers are dropped. */
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
    if (event.kind === "start" || eventsByAnswer.length === 0) eventsByAnswer.push([]);
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
    append: (event) => {
      record(event);
      for (const listener of listeners) listener(event);
    },
    events: () => eventsByAnswer.flat(),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    isLive: () => stopAnswer !== undefined,
    start: (stop, over) => {
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
