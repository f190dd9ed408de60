import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import type { GatewayBackend } from "../../src/server/gateway/gateway-backend.ts";
import type { GatewayOptions } from "../../src/server/gateway/gateway-state.ts";
import { createMcpFetch, type McpFetch, type McpFetchOptions } from "../../src/server/gateway/mcp-fetch.ts";
import { serveSocket } from "../../src/server/gateway/serve-socket.ts";
import type { Principal } from "../../src/types/principal.ts";

export type ProtocolEra = "legacy" | "modern";

export type ClientCapabilities = NonNullable<
  NonNullable<ConstructorParameters<typeof Client>[1]>["capabilities"]
>;

export const alicePrincipal: Principal = { agent: "alice", allow: ["*"] };
export const bobPrincipal: Principal = { agent: "bob", allow: ["*"] };

/** The client of the SDK, of one era. */
export const sdkClient = (era: ProtocolEra, capabilities: ClientCapabilities = {}): Client =>
  new Client(
    { name: "client", version: "1" },
    { capabilities, versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: "2026-07-28" } } },
  );

export interface TestGateway {
  readonly connect: (client: Client) => Promise<Client>;
  readonly close: () => Promise<void>;
  readonly http?: McpFetch;
}

/** A gateway over HTTP without sockets. */
export const openHttpGateway = (
  served: GatewayBackend,
  options: McpFetchOptions & { readonly principal?: Principal } = {},
): TestGateway & { readonly http: McpFetch } => {
  const http = createMcpFetch(served, { approvals: "client", ...options });
  return {
    http,
    connect: (client) => connectOverHttp(http, client, options.principal ?? alicePrincipal),
    close: () => http.close(0),
  };
};

export const connectOverHttp = async (
  http: McpFetch,
  client: Client,
  principal: Principal,
): Promise<Client> => {
  const transport = new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), {
    fetch: (url, init) => http.fetch(new Request(url, init as RequestInit), { principal }),
  });
  await client.connect(transport);
  return client;
};

/** A gateway with one open connection for each client. */
export const openConnectionGateway = (
  served: GatewayBackend,
  options: GatewayOptions & { readonly principal?: Principal } = {},
): TestGateway => {
  const open: (() => Promise<void>)[] = [];
  return {
    connect: async (client) => {
      const [near, far] = InMemoryTransport.createLinkedPair();
      open.push(
        serveSocket(served, options.principal ?? alicePrincipal, far, { approvals: "client", ...options })
          .close,
      );
      await client.connect(near);
      return client;
    },
    close: async () => {
      await Promise.all(open.map((end) => end()));
    },
  };
};

/** The routes of a client: both eras, over HTTP and over a connection. */
export const clientRoutes = (["legacy", "modern"] as const).flatMap((era) =>
  (["http", "connection"] as const).map((over) => ({
    era,
    over,
    open: over === "http" ? openHttpGateway : openConnectionGateway,
  })),
);
