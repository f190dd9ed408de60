import type { LiveMessage } from "@api/live.ts";
import { useSyncExternalStore } from "react";
import { apiBase } from "./api-request.ts";

export type LiveConnectionState = "connecting" | "open" | "disconnected";
type Listener = (message: LiveMessage) => void;

/** Limits how often pages render. */
const minFlushIntervalMs = 200;
const initialReconnectMs = 500;
const maxReconnectMs = 15_000;

let connection: LiveConnectionState = "connecting";
const watchers = new Set<() => void>();
const listeners = new Set<Listener>();

const setConnection = (now: LiveConnectionState): void => {
  if (now === connection) return;
  connection = now;
  for (const watcher of watchers) watcher();
};

export const useLiveConnection = (): LiveConnectionState =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => connection,
  );

export const onLiveMessage = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/**
 * Reconnects with backoff. `onReturn` is called when messages may have been missed, and `onFailure` on every
 * failure, which may be an expired session.
 */
export const openLiveConnection = ({
  onReturn,
  onFailure,
}: {
  readonly onReturn: () => void;
  readonly onFailure: () => void;
}): (() => void) => {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = initialReconnectMs;
  let wasOpen = false;
  let waiting: LiveMessage[] = [];
  let flushedAt = 0;
  let flushing: ReturnType<typeof setTimeout> | undefined;

  const flush = (): void => {
    flushing = undefined;
    flushedAt = performance.now();
    const message = mergeLiveMessages(waiting);
    waiting = [];
    for (const listener of listeners) listener(message);
  };
  const onMessage = (event: MessageEvent<string>): void => {
    waiting.push(JSON.parse(event.data) as LiveMessage);
    flushing ??= setTimeout(flush, Math.max(0, minFlushIntervalMs - (performance.now() - flushedAt)));
  };
  const open = (): void => {
    source = new EventSource(`${apiBase}/live`, { withCredentials: true });
    source.addEventListener("open", () => {
      pauseMs = initialReconnectMs;
      setConnection("open");
      if (wasOpen) onReturn();
      wasOpen = true;
    });
    source.addEventListener("live", onMessage);
    source.addEventListener("error", () => {
      source?.close();
      setConnection("disconnected");
      onFailure();
      timer = setTimeout(open, pauseMs);
      pauseMs = Math.min(maxReconnectMs, pauseMs * 2);
    });
  };
  open();
  return () => {
    clearTimeout(timer);
    clearTimeout(flushing);
    source?.close();
  };
};

const mergeLiveMessages = (messages: readonly LiveMessage[]): LiveMessage => {
  const last = messages.at(-1)!;
  if (messages.length === 1) return last;
  const newestFirst = messages.toReversed();
  const once = <Item>(items: readonly Item[], idOf: (item: Item) => string): readonly Item[] =>
    [...new Map(items.toReversed().map((item) => [idOf(item), item])).values()].toReversed();
  const sum = (of: (message: LiveMessage) => number): number =>
    messages.reduce((total, message) => total + of(message), 0);
  return {
    ...last,
    counts: {
      started: sum(({ counts }) => counts.started),
      ended: sum(({ counts }) => counts.ended),
      failed: sum(({ counts }) => counts.failed),
    },
    calls: once(
      newestFirst.flatMap(({ calls }) => calls),
      ({ entryId }) => entryId,
    ),
    hasMoreCalls: messages.some(({ hasMoreCalls }) => hasMoreCalls),
    approvals: once(
      newestFirst.flatMap(({ approvals }) => approvals),
      ({ id }) => id,
    ),
    runs: once(
      newestFirst.flatMap(({ runs }) => runs),
      ({ runId }) => runId,
    ),
    servers: once(
      newestFirst.flatMap(({ servers }) => servers),
      ({ id }) => id,
    ),
    ...(messages.some(({ hasMissedChanges }) => hasMissedChanges) ? { hasMissedChanges: true } : {}),
  };
};
