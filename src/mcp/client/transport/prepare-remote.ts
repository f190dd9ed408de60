import {
  type AuthProvider,
  type FetchLike,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { ConfigurationError } from "../../../types/errors.ts";
import type { McpSessionServices, RemoteServer } from "../../../types/mcp.ts";
import { HttpClientTransport } from "./http/http-client.ts";
import type { ServerTransport } from "./server-transport.ts";
import { WebSocketClientTransport } from "./websocket-client.ts";

interface RemoteTransport {
  readonly open: () => ServerTransport;
  readonly isHttp: boolean;
  readonly isLegacyTransport: boolean;
  readonly openLegacy?: () => ServerTransport;
}

type RemoteAuthorization = AuthProvider & { readonly fetch?: (base: FetchLike) => FetchLike };

const readServerUrl = ({ id, url }: { readonly id: string; readonly url: string }): URL => {
  const read = URL.canParse(url) ? new URL(url) : undefined;
  if (read === undefined || !/^(https?|wss?):$/.test(read.protocol)) {
    throw new ConfigurationError(
      "invalid_config",
      `The url of the MCP server "${id}" cannot be used; it must be absolute, such as https://host/mcp.`,
    );
  }
  if (read.username !== "" || read.password !== "") {
    throw new ConfigurationError(
      "invalid_config",
      `The url of the MCP server "${id}" must not carry a user name or password; set a header and name a secret.`,
    );
  }
  return read;
};

export const prepareRemote = (
  server: RemoteServer & { readonly id: string },
  services: McpSessionServices,
  headers: Readonly<Record<string, string>>,
): RemoteTransport => {
  const url = readServerUrl(server);
  const { maxMessageBytes } = server;
  if (server.transport === "websocket" || url.protocol.startsWith("ws")) {
    const open = () => new WebSocketClientTransport({ url: url.href, headers, maxMessageBytes });
    return { open, isHttp: false, isLegacyTransport: false };
  }
  const authProvider =
    server.oauth === false
      ? undefined
      : (services.authorize?.(server, services.principal) as RemoteAuthorization | undefined);
  const options = (fetch: FetchLike) => ({
    fetch: authProvider?.fetch?.(fetch) ?? fetch,
    ...(authProvider === undefined ? {} : { authProvider }),
  });
  const common = { url, headers, maxMessageBytes };
  const openSse = () =>
    new HttpClientTransport({
      ...common,
      kind: "sse",
      open: (fetch) => new SSEClientTransport(url, options(fetch)),
    });
  if (server.transport === "sse") return { open: openSse, isHttp: true, isLegacyTransport: true };
  const open = () =>
    new HttpClientTransport({
      ...common,
      kind: "http",
      open: (fetch) => new StreamableHTTPClientTransport(url, options(fetch)),
    });
  return {
    open,
    isHttp: true,
    isLegacyTransport: false,
    ...(server.transport === undefined ? { openLegacy: openSse } : {}),
  };
};
