import type { ChatBody, ChatEvent } from "@api/agents.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { api } from "../api/api.ts";
import { apiPath } from "../api/api-request.ts";
import { getEvents, postEvents } from "../api/event-stream.ts";
import { queries } from "../api/queries.ts";
import { applyChatEvents, type ChatTurn, newChatTurn } from "./chat-turns.ts";

const renderIntervalMs = 100;
/** Expired leases and approval requests send no live message. */
const pendingPollMs = 5_000;

export interface ChatState {
  readonly turns: readonly ChatTurn[];
  /** Streamed to this page. */
  readonly isRunning: boolean;
  /** Needs approval, or runs in another process. */
  readonly isPending: boolean;
  readonly say: (body: ChatBody) => void;
  readonly stop: () => void;
  readonly begin: () => void;
}

export const useChat = (
  agent: string,
  id: string | undefined,
  onChat: (id: string | undefined) => void,
): ChatState => {
  const [turns, setTurns] = useState<readonly ChatTurn[]>([]);
  const [isRunning, setRunning] = useState(false);
  const last = turns.at(-1);
  const openRun = last?.status === "pending" || last?.status === "running" ? last.runId : undefined;
  const { data: run, dataUpdatedAt } = useQuery({
    ...queries.run(openRun ?? ""),
    enabled: openRun !== undefined,
    staleTime: 0,
    refetchInterval: pendingPollMs,
  });
  const currentRead = useRef<AbortController>(undefined);
  /** The URL may not have it yet. */
  const shownChatId = useRef<string>(undefined);
  const readAt = useRef(0);
  const resumed = useRef<string>(undefined);
  const notifyChat = useEffectEvent(onChat);

  const read = async (
    open: (signal: AbortSignal) => AsyncIterable<{ readonly data: ChatEvent }>,
    before: readonly ChatTurn[],
    said?: string,
  ): Promise<void> => {
    currentRead.current?.abort();
    const own = new AbortController();
    currentRead.current = own;
    setRunning(true);
    let waiting: ChatEvent[] = [];
    let all = before;
    let name = shownChatId.current;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (): void => {
      timer = undefined;
      all = applyChatEvents(all, waiting);
      waiting = [];
      if (own.signal.aborted) return;
      setTurns(all);
      if (name === shownChatId.current) return;
      shownChatId.current = name;
      notifyChat(name);
    };
    try {
      for await (const { data } of open(own.signal)) {
        waiting.push(data);
        // The id of the last run stays valid after a server restart.
        if (data.kind === "start") name ??= data.chatId;
        if (data.kind === "done") name = data.runId;
        timer ??= setTimeout(show, renderIntervalMs);
      }
    } catch (error) {
      clearTimeout(timer);
      show();
      const problem = error instanceof Error ? error.message : String(error);
      // If rereading fails, the shown turns stay.
      if (all.length === 0 && said === undefined) all = turns;
      const isNew = all.length === before.length;
      all = isNew ? [...all, { ...newChatTurn(said), problem }] : all.with(-1, { ...all.at(-1)!, problem });
    } finally {
      clearTimeout(timer);
      show();
      readAt.current = Date.now();
      if (!own.signal.aborted) setRunning(false);
    }
  };

  const readAgain = useEffectEvent((chat: string): void => {
    shownChatId.current = chat;
    const address = apiPath("/agents/", agent, apiPath("/chats/", chat));
    void read((signal) => getEvents<ChatEvent>(address, signal), []);
  });
  useEffect(() => {
    if (id !== undefined && id !== shownChatId.current) readAgain(id);
  }, [id]);
  useEffect(() => () => currentRead.current?.abort(), []);

  /** Also reads what other pages and processes added. */
  const followRun = useEffectEvent((): void => {
    const chat = shownChatId.current;
    if (isRunning || chat === undefined || run === undefined || last === undefined) return;
    const { summary, can, approvals } = run;
    if (summary.runId !== openRun || dataUpdatedAt < readAt.current) return;
    const answers = approvals.map(({ id: approval, status }) => `${approval} ${status}`).join();
    if (can.resume && resumed.current !== answers) {
      // If this fails, the page of the run shows why.
      resumed.current = answers;
      void api
        .resume(summary.runId)
        .catch(() => {})
        .then(() => readAgain(chat));
    } else if (summary.status !== last.status || summary.turns !== last.modelTurns) readAgain(chat);
  });
  useEffect(() => followRun(), [dataUpdatedAt, isRunning]);

  return {
    turns,
    isRunning,
    isPending: openRun !== undefined,
    say: (body) => {
      const chat = shownChatId.current === undefined ? {} : { chatId: shownChatId.current };
      const address = apiPath("/agents/", agent, "/chat");
      const open = (signal: AbortSignal) => postEvents<ChatEvent>(address, { ...body, ...chat }, signal);
      void read(open, turns, body.message);
    },
    stop: () => {
      if (shownChatId.current !== undefined) void api.stopChat(agent, shownChatId.current).catch(() => {});
    },
    begin: () => {
      shownChatId.current = undefined;
      setTurns([]);
      onChat(undefined);
    },
  };
};
