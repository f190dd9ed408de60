import { PassThrough } from "node:stream";
import {
  type Client,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { Haft } from "haft";
import { afterEach, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { HaftOptions } from "../../src/runtime/haft-options.ts";
import type { GatewayBackend } from "../../src/server/gateway/gateway-backend.ts";
import type { GatewayOptions } from "../../src/server/gateway/gateway-state.ts";
import { openRuntimeBackend, type RuntimeBackendOptions } from "../../src/server/gateway/runtime-backend.ts";
import { serveStdio } from "../../src/server/gateway/serve-stdio.ts";
import { mountMcp } from "../../src/server/http/mount-mcp.ts";
import type { Principal } from "../../src/types/principal.ts";
import { type ClientCapabilities, type ProtocolEra, sdkClient } from "../kit/gateway-clients.ts";
import { bearer, hostScene } from "../kit/host-scene.ts";
import {
  bookFlightTool,
  brewCoffeeTool,
  createFillerTools,
  launchRocketTool,
  payFineTool,
} from "./sample-tools.ts";

export const adaSearcher: Principal = { agent: "ada", allow: ["*"] };
/** May use every tool except the rocket. */
export const bobSearcher: Principal = { agent: "bob", allow: ["*"], deny: ["launch_rocket"] };

export interface GatewaySearchScene {
  readonly haft: Haft;
  readonly served: GatewayBackend;
}

/** A runtime with this many filler tools besides those above, and a gateway backend over it. */
export const openSearchScene = async (
  search: RuntimeBackendOptions["search"] = true,
  { count = 60, ...options }: Partial<HaftOptions> & { readonly count?: number } = {},
): Promise<GatewaySearchScene> => {
  const haft = await Haft.open({
    tools: [...createFillerTools(count), bookFlightTool, payFineTool, launchRocketTool, brewCoffeeTool],
    principal: adaSearcher,
    approver: () => undefined,
    mcp: { truncateToFile: false, lock: false },
    config: { registry: { maxTools: 20_000 } },
    ...options,
  } as never);
  onTestFinished(() => haft.close());
  const served = await openRuntimeBackend(haft, {
    info: { name: "haft", version: "1" },
    ...(search === undefined ? {} : { search }),
  });
  return { haft, served };
};

/** One way to connect a client to a gateway. */
export interface ClientTransport {
  readonly name: string;
  readonly era: ProtocolEra;
  /** Whether the gateway keeps state for the client between requests. */
  readonly keeps: boolean;
  /** Each client connects as the given principal. */
  readonly open: (served: GatewayBackend, front?: GatewayOptions) => Promise<ConnectClient>;
}

export type ConnectClient = (who: Principal, capabilities?: ClientCapabilities) => Promise<Client>;

const clients: Client[] = [];

// Closes the clients before their hosts, which would wait for them.
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

const connectClientOver = async (
  era: ProtocolEra,
  capabilities: ClientCapabilities | undefined,
  transport: Transport,
) => {
  const client = sdkClient(era, capabilities);
  await client.connect(transport);
  clients.push(client);
  return client;
};

const tokens = new Map([adaSearcher, bobSearcher].map((who) => [who, `${who.agent}-token-0123456789`]));

const openHostFor = (served: GatewayBackend, front: GatewayOptions = {}) =>
  hostScene({
    auth: { kind: "tokens", tokens: [...tokens].map(([principal, token]) => ({ token, principal })) },
    ...mountMcp(served, { approvals: "client", ...front }),
  });

const overHttp = (era: ProtocolEra): ClientTransport => ({
  name: `HTTP, ${era}`,
  era,
  keeps: era === "legacy",
  open: async (served, front) => {
    const { url } = await openHostFor(served, front);
    return (who, capabilities) => {
      const requestInit = { headers: bearer(tokens.get(who)!) };
      return connectClientOver(
        era,
        capabilities,
        new StreamableHTTPClientTransport(new URL(url), { requestInit }),
      );
    };
  },
});

const overSocket = (era: ProtocolEra): ClientTransport => ({
  name: `WebSocket, ${era}`,
  era,
  keeps: true,
  open: async (served, front) => {
    const { port } = await openHostFor(served, front);
    return (who, capabilities) =>
      connectClientOver(era, capabilities, socketTransport(port, tokens.get(who)!));
  },
});

const socketTransport = (port: number, token: string): Transport => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/mcp`, "mcp", { headers: bearer(token) });
  onTestFinished(() => socket.terminate());
  const transport: Transport = {
    start: () => new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject)),
    send: async (message) => socket.send(JSON.stringify(message)),
    close: async () => socket.close(),
  };
  socket.on("message", (data) => transport.onmessage?.(JSON.parse(String(data)) as JSONRPCMessage));
  socket.on("close", () => transport.onclose?.());
  return transport;
};

const overPipe = (era: ProtocolEra): ClientTransport => ({
  name: `standard input and output, ${era}`,
  era,
  keeps: true,
  open: async (served, front) => (who, capabilities) => {
    const [there, back] = [new PassThrough(), new PassThrough()];
    const gateway = serveStdio(served, who, { approvals: "client", ...front, stdin: there, stdout: back });
    onTestFinished(() => gateway.close());
    return connectClientOver(era, capabilities, new StdioServerTransport(back, there));
  },
});

export const clientTransports: readonly ClientTransport[] = [overHttp, overSocket, overPipe].flatMap((over) =>
  (["legacy", "modern"] as const).map(over),
);

export const listedNames = async (client: Client): Promise<readonly string[]> => {
  const { tools } = await client.request({ method: "tools/list", params: {} });
  return tools.map(({ name }) => name);
};

export const searchToolList: readonly string[] = ["search_tools", "load_tools", "call_tool"];

/** The result of a call as the client sees it: structured content, text, or a protocol error. */
export const callAndReadResult = async (client: Client, name: string, args: object = {}) => {
  try {
    const result = await client.callTool({ name, arguments: args as Record<string, unknown> });
    const { isError, structuredContent, content } = result;
    if (isError === true) return { error: (content[0] as { readonly text: string }).text };
    return { value: structuredContent };
  } catch (error) {
    return { refused: (error as Error).message };
  }
};

/** Every row of the ledger, oldest first: tool, caller and outcome. */
export const ledgerRowsOf = async ({ haft }: GatewaySearchScene) =>
  (await haft.log()).map(({ tool, agent, ending, code }) => ({
    tool,
    agent,
    ending,
    ...(code === undefined ? {} : { code }),
  }));
