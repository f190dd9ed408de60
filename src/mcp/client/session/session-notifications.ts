import type { Client } from "@modelcontextprotocol/client";
import type { McpSessionNotification } from "../../../types/mcp.ts";
import type { ActiveCallers } from "./active-callers.ts";

export type SessionNotificationListener = (news: McpSessionNotification) => void;

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
