import type { Client } from "@modelcontextprotocol/client";
import type { SessionNews } from "../../../words/mcp.ts";
import type { Callers } from "./callers.ts";

export type SessionNewsListener = (news: SessionNews) => void;

/** Who listens to a session. A listener that throws does not keep the others from hearing. */
export class SessionNewsHub {
  readonly #listeners = new Set<SessionNewsListener>();
  /** What was said before anybody could listen. */
  #early: SessionNews[] | undefined = [];

  on(listener: SessionNewsListener): () => void {
    this.#listeners.add(listener);
    const early = this.#early;
    this.#early = undefined;
    for (const news of early ?? []) this.#tell(listener, news);
    return () => void this.#listeners.delete(listener);
  }

  tell(news: SessionNews): void {
    if (this.#early !== undefined && this.#early.length < 100) this.#early.push(news);
    for (const listener of this.#listeners) this.#tell(listener, news);
  }

  #tell(listener: SessionNewsListener, news: SessionNews): void {
    try {
      listener(news);
    } catch {
      // Nobody here can do anything about it.
    }
  }
}

/** What a server tells unasked, in either era. */
export const hearNotifications = (client: Client, news: SessionNewsHub, callers: Callers): void => {
  client.setNotificationHandler("notifications/tools/list_changed", () =>
    news.tell({ kind: "tools-changed" }),
  );
  client.setNotificationHandler("notifications/prompts/list_changed", () =>
    news.tell({ kind: "prompts-changed" }),
  );
  client.setNotificationHandler("notifications/resources/list_changed", () =>
    news.tell({ kind: "resources-changed" }),
  );
  client.setNotificationHandler("notifications/resources/updated", ({ params }) =>
    news.tell({ kind: "resource-updated", uri: params.uri }),
  );
  client.setNotificationHandler("notifications/message", ({ params }) => {
    news.tell({ kind: "logged", message: params });
    try {
      callers.only()?.logged?.(params);
    } catch {
      // A caller that cannot hear does not end the call.
    }
  });
};
