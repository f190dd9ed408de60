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
import type { FrontOptions } from "../../src/gateway/gateway-state.ts";
import type { Served } from "../../src/gateway/served.ts";
import { type ServedAs, servedBy } from "../../src/gateway/served-by.ts";
import { serveStdio } from "../../src/gateway/stdio.ts";
import type { HaftOptions } from "../../src/runtime/options.ts";
import { mountMcp } from "../../src/server/mount-mcp.ts";
import type { Principal } from "../../src/words/principal.ts";
import { type Capabilities, clientOf, type Era } from "../kit/gateway-clients.ts";
import { bearer, hostScene } from "../kit/host-scene.ts";
import { bookFlight, fillers, launch, payTicket, waitLong } from "./catalog.ts";

export const ada: Principal = { agent: "ada", allow: ["*"] };
/** May use everything but the rocket. */
export const bob: Principal = { agent: "bob", allow: ["*"], deny: ["launch_rocket"] };

export interface SearchScene {
  readonly haft: Haft;
  readonly served: Served;
}

/** A runtime with so many tools besides those above, and what a gateway serves of it. */
export const searched = async (
  search: ServedAs["search"] = true,
  { count = 60, ...options }: Partial<HaftOptions> & { readonly count?: number } = {},
): Promise<SearchScene> => {
  const haft = await Haft.open({
    tools: [...fillers(count), bookFlight, payTicket, launch, waitLong],
    principal: ada,
    approver: () => undefined,
    mcp: { spill: false, lock: false },
    config: { registry: { maxTools: 20_000 } },
    ...options,
  } as never);
  onTestFinished(() => haft.close());
  const served = await servedBy(haft, {
    info: { name: "haft", version: "1" },
    ...(search === undefined ? {} : { search }),
  });
  return { haft, served };
};

/** One way of a client to a gateway. */
export interface ClientDoor {
  readonly name: string;
  readonly era: Era;
  /** Whether the gateway can keep something for the client from one request to the next. */
  readonly keeps: boolean;
  /** Each client of the gateway comes as whom it says. */
  readonly open: (served: Served, front?: FrontOptions) => Promise<Connect>;
}

export type Connect = (who: Principal, capabilities?: Capabilities) => Promise<Client>;

const clients: Client[] = [];

// Before their hosts are, which would wait for them.
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

const connected = async (era: Era, capabilities: Capabilities | undefined, transport: Transport) => {
  const client = clientOf(era, capabilities);
  await client.connect(transport);
  clients.push(client);
  return client;
};

const tokens = new Map([ada, bob].map((who) => [who, `${who.agent}-token-0123456789`]));

const hostOf = (served: Served, front: FrontOptions = {}) =>
  hostScene({
    auth: { kind: "tokens", tokens: [...tokens].map(([principal, token]) => ({ token, principal })) },
    ...mountMcp(served, front),
  });

const overHttp = (era: Era): ClientDoor => ({
  name: `HTTP, ${era}`,
  era,
  keeps: era === "legacy",
  open: async (served, front) => {
    const { url } = await hostOf(served, front);
    return (who, capabilities) => {
      const requestInit = { headers: bearer(tokens.get(who)!) };
      return connected(era, capabilities, new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    };
  },
});

const overSocket = (era: Era): ClientDoor => ({
  name: `WebSocket, ${era}`,
  era,
  keeps: true,
  open: async (served, front) => {
    const { port } = await hostOf(served, front);
    return (who, capabilities) => connected(era, capabilities, socketTransport(port, tokens.get(who)!));
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

const overPipe = (era: Era): ClientDoor => ({
  name: `standard input and output, ${era}`,
  era,
  keeps: true,
  open: async (served, front) => (who, capabilities) => {
    const [there, back] = [new PassThrough(), new PassThrough()];
    const gateway = serveStdio(served, who, { ...front, stdin: there, stdout: back });
    onTestFinished(() => gateway.close());
    return connected(era, capabilities, new StdioServerTransport(back, there));
  },
});

export const doors: readonly ClientDoor[] = [overHttp, overSocket, overPipe].flatMap((over) =>
  (["legacy", "modern"] as const).map(over),
);

export const namesOf = async (client: Client): Promise<readonly string[]> => {
  const { tools } = await client.request({ method: "tools/list", params: {} });
  return tools.map(({ name }) => name);
};

export const own: readonly string[] = ["search_tools", "load_tools", "call_tool"];

/** What a call comes to, as the client is told: its structured content, its words, or the protocol's error. */
export const callOf = async (client: Client, name: string, args: object = {}) => {
  try {
    const result = await client.callTool({ name, arguments: args as Record<string, unknown> });
    const { isError, structuredContent, content } = result;
    if (isError === true) return { error: (content[0] as { readonly text: string }).text };
    return { value: structuredContent };
  } catch (error) {
    return { refused: (error as Error).message };
  }
};

/** Every row of the ledger, oldest first: who called what, and what came of it. */
export const rowsOf = async ({ haft }: SearchScene) =>
  (await haft.log()).map(({ tool, agent, ending, code }) => ({
    tool,
    agent,
    ending,
    ...(code === undefined ? {} : { code }),
  }));
