import { randomUUID } from "node:crypto";
import type { Message } from "../../words/message.ts";
import type { ChatEvent } from "../words/agents.ts";

/** One conversation as it was told, for a page that is opened again or reads along with another. */
export interface KeptChat {
  readonly id: string;
  readonly agent: string;
  /** Tells one event to whoever listens, and keeps it. */
  readonly tell: (event: ChatEvent) => void;
  /** What was told so far. Words that followed each other are one event. */
  readonly told: () => readonly ChatEvent[];
  /** Calls back with each event from now on, and with nothing once nobody answers any more. */
  readonly hear: (listener: (event: ChatEvent | undefined) => void) => () => void;
  /** Whether somebody answers at the moment. */
  readonly isLive: () => boolean;
  /** From now on somebody answers, until `over` is done. */
  readonly begin: (stop: () => void, over: Promise<void>) => void;
  /** Stops who answers; told how it ended, a reader sees it. */
  readonly stop: () => boolean;
}

/** The chats of one Studio. They die with it; what was called and said is in the ledger. */
export interface KeptChats {
  readonly open: (agent: string) => KeptChat;
  readonly find: (id: string) => KeptChat | undefined;
  /** The conversation of a run that is over, which a ledger forgets unless told to keep it. */
  readonly keepContext: (runId: string, context: readonly Message[]) => void;
  readonly contextOf: (runId: string) => readonly Message[] | undefined;
}

const mostChats = 100;
/** So many characters of one chat are kept; then its oldest answers go. */
const longestChat = 4_000_000;

export const keptChats = (): KeptChats => {
  const chats = new Map<string, KeptChat>();
  const contexts = new Map<string, readonly Message[]>();
  return {
    open: (agent) => {
      const chat = keptChat(`chat-${randomUUID()}`, agent);
      for (const [id, each] of chats) if (chats.size >= mostChats && !each.isLive()) chats.delete(id);
      chats.set(chat.id, chat);
      return chat;
    },
    find: (id) => chats.get(id),
    keepContext: (runId, context) => {
      contexts.delete(runId);
      contexts.set(runId, context);
      if (contexts.size > mostChats) contexts.delete(contexts.keys().next().value!);
    },
    contextOf: (runId) => contexts.get(runId),
  };
};

const keptChat = (id: string, agent: string): KeptChat => {
  /** One list for each message that was answered. */
  const answers: ChatEvent[][] = [];
  const listeners = new Set<(event: ChatEvent | undefined) => void>();
  let length = 0;
  let stopping: (() => void) | undefined;
  const keep = (event: ChatEvent): void => {
    if (event.kind === "begun" || answers.length === 0) answers.push([]);
    const answer = answers.at(-1)!;
    const joined = joinedWith(answer.at(-1), event);
    if (joined === undefined) answer.push(event);
    else answer[answer.length - 1] = joined;
    length += lengthOf(event);
    while (length > longestChat && answers.length > 1) {
      length -= answers.shift()!.reduce((sum, each) => sum + lengthOf(each), 0);
    }
  };
  return {
    id,
    agent,
    tell: (event) => {
      keep(event);
      for (const listener of listeners) listener(event);
    },
    told: () => answers.flat(),
    hear: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    isLive: () => stopping !== undefined,
    begin: (stop, over) => {
      stopping = stop;
      void over.finally(() => {
        stopping = undefined;
        for (const listener of [...listeners]) listener(undefined);
      });
    },
    stop: () => {
      stopping?.();
      return stopping !== undefined;
    },
  };
};

const joinedWith = (last: ChatEvent | undefined, event: ChatEvent): ChatEvent | undefined => {
  if (event.kind !== "text" && event.kind !== "reasoning") return undefined;
  if (last?.kind !== event.kind || last.agent !== event.agent) return undefined;
  return { ...last, text: last.text + event.text };
};

const lengthOf = (event: ChatEvent): number =>
  ("text" in event ? event.text.length : 0) + ("input" in event ? event.input.length : 0) + 200;
