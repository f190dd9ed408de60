import type { ServerEvent } from "@modelcontextprotocol/server";
import type { McpSessionNotification } from "../../types/mcp.ts";
import type { ClientConnection } from "./client-connection.ts";
import type { ResourceSubscription } from "./lists/upstream-subscriptions.ts";

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
    case "closed":
      return [{ kind: "prompts_list_changed" }, { kind: "resources_list_changed" }];
    // Log messages only reach the client whose call caused them.
    default:
      return [];
  }
};

export const forwardNotifications = (connection: ClientConnection): (() => void) =>
  connection.gateway.backend.onChange((news, serverId) => {
    for (const event of toServerEvents(news, serverId, connection.subscriptions))
      sendServerEvent(connection, event);
  });

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
  sent()?.catch(() => {});
};
