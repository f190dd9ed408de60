import type { ChatBody, ChatEvent } from "@words/agents.ts";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { api } from "../api/api.ts";
import { path } from "../api/ask.ts";
import { getEvents, postEvents } from "../api/event-stream.ts";
import { type ChatTurn, newTurn, withEvents } from "./chat-turns.ts";

/** Words come by hundreds a second; they are shown ten times in one. */
const leastMs = 100;

/** One conversation, which the server keeps: a page that is loaded again finds it by its id, and whoever leaves stops nothing. */
export interface ShownChat {
  readonly turns: readonly ChatTurn[];
  readonly isRunning: boolean;
  readonly say: (body: ChatBody) => void;
  readonly stop: () => void;
  readonly begin: () => void;
}

/** `id` is the chat of the address, and `onChat` puts another there. */
export const useChat = (
  agent: string,
  id: string | undefined,
  onChat: (id: string | undefined) => void,
): ShownChat => {
  const [turns, setTurns] = useState<readonly ChatTurn[]>([]);
  const [isRunning, setRunning] = useState(false);
  const reading = useRef<AbortController>(undefined);
  /** The chat that is shown, whether or not the address has it yet. */
  const shown = useRef<string>(undefined);
  const tellChat = useEffectEvent(onChat);

  const read = async (
    open: (signal: AbortSignal) => AsyncIterable<{ readonly data: ChatEvent }>,
    before: readonly ChatTurn[],
    said?: string,
  ): Promise<void> => {
    reading.current?.abort();
    const own = new AbortController();
    reading.current = own;
    setRunning(true);
    let waiting: ChatEvent[] = [];
    let all = before;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (): void => {
      timer = undefined;
      all = withEvents(all, waiting);
      waiting = [];
      if (!own.signal.aborted) setTurns(all);
    };
    try {
      for await (const { data } of open(own.signal)) {
        waiting.push(data);
        if (data.kind === "begun") {
          shown.current = data.chatId;
          tellChat(data.chatId);
        }
        timer ??= setTimeout(show, leastMs);
      }
    } catch (error) {
      clearTimeout(timer);
      show();
      const trouble = error instanceof Error ? error.message : String(error);
      const isNew = all.length === before.length;
      all = isNew ? [...all, { ...newTurn(said), trouble }] : all.with(-1, { ...all.at(-1)!, trouble });
    } finally {
      clearTimeout(timer);
      show();
      if (!own.signal.aborted) setRunning(false);
    }
  };

  const readAgain = useEffectEvent((chat: string): void => {
    shown.current = chat;
    const address = path("/agents/", agent, path("/chats/", chat));
    void read((signal) => getEvents<ChatEvent>(address, signal), []);
  });
  useEffect(() => {
    if (id !== undefined && id !== shown.current) readAgain(id);
  }, [id]);
  useEffect(() => () => reading.current?.abort(), []);

  return {
    turns,
    isRunning,
    say: (body) => {
      const chat = shown.current === undefined ? {} : { chatId: shown.current };
      const address = path("/agents/", agent, "/chat");
      const open = (signal: AbortSignal) => postEvents<ChatEvent>(address, { ...body, ...chat }, signal);
      void read(open, turns, body.message);
    },
    stop: () => {
      if (shown.current !== undefined) void api.stopChat(agent, shown.current).catch(() => {});
    },
    begin: () => {
      shown.current = undefined;
      setTurns([]);
      onChat(undefined);
    },
  };
};
