import { type Client, ProtocolError, type SubscriptionFilter } from "@modelcontextprotocol/client";
import type { McpSessionNotification } from "../../../types/mcp.ts";
import type { ActiveCallers } from "./server-connection.ts";

const firstReopenMs = 500;
const maxReopenMs = 60_000;
const listenTimeoutMs = 30_000;
const methodNotFoundCode = -32_601;

const advertisedFilter = (client: Client): SubscriptionFilter => {
  const has = client.getServerCapabilities();
  return {
    ...(has?.tools?.listChanged === true ? { toolsListChanged: true } : {}),
    ...(has?.prompts?.listChanged === true ? { promptsListChanged: true } : {}),
    ...(has?.resources?.listChanged === true ? { resourcesListChanged: true } : {}),
  };
};

type SessionNotificationListener = (news: McpSessionNotification) => void;

export class SessionNotifications {
  readonly #listeners = new Set<SessionNotificationListener>();
  /** Arrived before the first listener. */
  #buffered: McpSessionNotification[] | undefined = [];

  on(listener: SessionNotificationListener): () => void {
    this.#listeners.add(listener);
    const early = this.#buffered;
    this.#buffered = undefined;
    for (const news of early ?? []) this.#notify(listener, news);
    return () => void this.#listeners.delete(listener);
  }

  emit(news: McpSessionNotification): void {
    if (this.#buffered !== undefined && this.#buffered.length < 100) this.#buffered.push(news);
    for (const listener of this.#listeners) this.#notify(listener, news);
  }

  #notify(listener: SessionNotificationListener, news: McpSessionNotification): void {
    try {
      listener(news);
    } catch {
      // One failing listener must not affect the others.
    }
  }
}

export const forwardServerNotifications = (
  client: Client,
  notifications: SessionNotifications,
  callers: ActiveCallers,
): void => {
  client.setNotificationHandler("notifications/tools/list_changed", () =>
    notifications.emit({ kind: "tools-changed" }),
  );
  client.setNotificationHandler("notifications/prompts/list_changed", () =>
    notifications.emit({ kind: "prompts-changed" }),
  );
  client.setNotificationHandler("notifications/resources/list_changed", () =>
    notifications.emit({ kind: "resources-changed" }),
  );
  client.setNotificationHandler("notifications/resources/updated", ({ params }) =>
    notifications.emit({ kind: "resource-updated", uri: params.uri }),
  );
  client.setNotificationHandler("notifications/message", ({ params }) => {
    notifications.emit({ kind: "logged", message: params });
    try {
      callers.singleCaller()?.logged?.(params);
    } catch {
      // A failing caller does not end the call.
    }
  });
};

/** The modern era sends changes only to listeners. */
export class ChangeListener {
  readonly #client: Client;
  readonly #notifications: SessionNotifications;
  readonly #uris = new Set<string>();
  #ender = new AbortController();
  #isClosed = false;

  constructor(client: Client, news: SessionNotifications) {
    this.#client = client;
    this.#notifications = news;
  }

  start(): void {
    const filter: SubscriptionFilter = advertisedFilter(this.#client);
    if (this.#uris.size > 0) filter.resourceSubscriptions = [...this.#uris];
    if (Object.keys(filter).length === 0 || this.#isClosed) return;
    void this.#keepOpen(filter, this.#ender.signal);
  }

  add(uri: string): void {
    if (this.#uris.has(uri)) return;
    this.#uris.add(uri);
    this.#restart();
  }

  remove(uri: string): void {
    if (this.#uris.delete(uri)) this.#restart();
  }

  close(): void {
    this.#isClosed = true;
    this.#ender.abort();
  }

  #restart(): void {
    this.#ender.abort();
    this.#ender = new AbortController();
    this.start();
  }

  async #keepOpen(filter: SubscriptionFilter, signal: AbortSignal): Promise<void> {
    let failures = 0;
    for (let openings = 0; !signal.aborted; ) {
      try {
        const subscription = await this.#client.listen(filter, { signal, timeout: listenTimeoutMs });
        // Changes during the gap were lost.
        if (openings++ > 0) this.#emitAll(filter);
        const openedAt = Date.now();
        if ((await subscription.closed) === "local") return;
        if (Date.now() - openedAt > maxReopenMs) failures = 0;
      } catch (error) {
        if (error instanceof ProtocolError && error.code === methodNotFoundCode) return;
      }
      if (this.#client.transport === undefined) return;
      const ms = Math.min(firstReopenMs * 2 ** failures++, maxReopenMs);
      await sleepOrAbort(ms * (0.5 + Math.random() / 2), signal);
    }
  }

  #emitAll(filter: SubscriptionFilter): void {
    if (filter.toolsListChanged === true) this.#notifications.emit({ kind: "tools-changed" });
    if (filter.promptsListChanged === true) this.#notifications.emit({ kind: "prompts-changed" });
    if (filter.resourcesListChanged === true) this.#notifications.emit({ kind: "resources-changed" });
    for (const uri of filter.resourceSubscriptions ?? [])
      this.#notifications.emit({ kind: "resource-updated", uri });
  }
}

const sleepOrAbort = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    timer.unref();
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
