import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import type { FrontOptions } from "../../src/gateway/gateway-state.ts";
import { type McpFetch, type McpFetchOptions, mcpFetch } from "../../src/gateway/http.ts";
import type { Served } from "../../src/gateway/served.ts";
import { serveSocket } from "../../src/gateway/socket.ts";
import type { Principal } from "../../src/words/principal.ts";

export type Era = "legacy" | "modern";

export type Capabilities = NonNullable<NonNullable<ConstructorParameters<typeof Client>[1]>["capabilities"]>;

export const alice: Principal = { agent: "alice", allow: ["*"] };
export const bob: Principal = { agent: "bob", allow: ["*"] };

/** The SDK's own client, of one era. */
export const clientOf = (era: Era, capabilities: Capabilities = {}): Client =>
  new Client(
    { name: "client", version: "1" },
    { capabilities, versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: "2026-07-28" } } },
  );

export interface Gateway {
  readonly connect: (client: Client) => Promise<Client>;
  readonly close: () => Promise<void>;
  readonly http?: McpFetch;
}

/** Over HTTP, without a socket between. */
export const httpGateway = (
  served: Served,
  options: McpFetchOptions & { readonly principal?: Principal } = {},
): Gateway & { readonly http: McpFetch } => {
  const http = mcpFetch(served, options);
  return {
    http,
    connect: (client) => connectHttp(http, client, options.principal ?? alice),
    close: () => http.close(0),
  };
};

export const connectHttp = async (http: McpFetch, client: Client, principal: Principal): Promise<Client> => {
  const transport = new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), {
    fetch: (url, init) => http.fetch(new Request(url, init as RequestInit), { principal }),
  });
  await client.connect(transport);
  return client;
};

/** Over one lasting connection for each client. */
export const socketGateway = (
  served: Served,
  options: FrontOptions & { readonly principal?: Principal } = {},
): Gateway => {
  const open: (() => Promise<void>)[] = [];
  return {
    connect: async (client) => {
      const [near, far] = InMemoryTransport.createLinkedPair();
      open.push(serveSocket(served, options.principal ?? alice, far, options).close);
      await client.connect(near);
      return client;
    },
    close: async () => {
      await Promise.all(open.map((end) => end()));
    },
  };
};

/** The ways a client can come in: both eras, over HTTP and over a connection. */
export const ways = (["legacy", "modern"] as const).flatMap((era) =>
  (["http", "connection"] as const).map((over) => ({
    era,
    over,
    open: over === "http" ? httpGateway : socketGateway,
  })),
);
