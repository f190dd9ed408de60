import type { ServerEvent } from "@modelcontextprotocol/server";
import type { McpSessionNotification } from "../../types/mcp.ts";
import type { ClientConnection } from "./client-connection.ts";
import type { ResourceSubscription } from "./lists/upstream-subscriptions.ts";

/** What news of a server, or of our own tools, mean to a client: changes of lists, and of what it follows. */
export const toServerEvents = (
  notification: McpSessionNotification,
  serverId: string | undefined,
  subscriptions: ReadonlyMap<string, ResourceSubscription>,
): readonly ServerEvent[] => {
  switch (notification.kind) {
    case "tools-changed":
      return [{ kind: "tools_list_changed" }];
    case "prompts-changed":
      return [{ kind: "prompts_list_changed" }];
    case "resources-changed":
      return [{ kind: "resources_list_changed" }];
    case "resource-updated":
      return [...subscriptions]
        .filter(([, following]) => following.uri === notification.uri && following.serverId === serverId)
        .map(([uri]) => ({ kind: "resource_updated" as const, uri }));
    // Whatever it had besides tools is gone with it.
    case "closed":
      return [{ kind: "prompts_list_changed" }, { kind: "resources_list_changed" }];
    // What a server logs belongs to whoever's call it is about, and reaches nobody else.
    default:
      return [];
  }
};

/** Tells one connection the news until it is closed. */
export const forwardNotifications = (connection: ClientConnection): (() => void) =>
  connection.gateway.served.onNews((news, serverId) => {
    for (const event of toServerEvents(news, serverId, connection.followed))
      sendServerEvent(connection, event);
  });

/** Tells one connection, where its era and its transport carry it. */
export const sendServerEvent = ({ server }: ClientConnection, event: ServerEvent): void => {
  const { prompts, resources } = server.getCapabilities();
  const sent = (): Promise<void> | undefined => {
    switch (event.kind) {
      case "tools_list_changed":
        return server.sendToolListChanged();
      case "prompts_list_changed":
        return prompts && server.sendPromptListChanged();
      case "resources_list_changed":
        return resources && server.sendResourceListChanged();
      case "resource_updated":
        return resources && server.sendResourceUpdated({ uri: event.uri });
    }
  };
  // A connection that just broke is closed by whoever notices.
  sent()?.catch(() => {});
};
