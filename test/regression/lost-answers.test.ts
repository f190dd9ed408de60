import { createServer, type Server, type ServerResponse } from "node:http";
import { Haft, http, tool } from "haft";
import { afterEach, describe, expect, it } from "vitest";
import { listenOnLoopback, stopServer } from "../kit/mcp/toy-http.ts";

const principal = { agent: "tester", allow: ["*"] };
const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const openHaft = async (options: object): Promise<Haft> => {
  const haft = await Haft.open({ principal, ...options } as never);
  open.push(() => haft.close());
  return haft;
};

/** Acts on the first call and closes the connection without an answer. */
const startBank = async (reply: (response: ServerResponse, message: Message) => void) => {
  const bank = { place: "", paid: 0 };
  const server: Server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const message = (body === "" ? {} : JSON.parse(body)) as Message;
    const isCall = message.method === undefined || message.method === "tools/call";
    if (request.method !== "POST") return void response.writeHead(405).end();
    if (isCall && ++bank.paid === 1) return void request.socket.destroy();
    reply(response, message);
  });
  bank.place = await listenOnLoopback(server);
  open.push(() => stopServer(server));
  return bank;
};

interface Message {
  readonly id?: number;
  readonly method?: string;
}

const replyAsMcpServer = (response: ServerResponse, { id, method }: Message): void => {
  if (id === undefined) return void response.writeHead(202).end();
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "bank", version: "1" },
    },
    "tools/list": { tools: [{ name: "pay", description: "Pays", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "paid" }] },
  };
  const result = results[method ?? ""];
  const body = result === undefined ? { error: { code: -32_601, message: "Method not found" } } : { result };
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
};

const openBoth = {
  "an MCP server": async () => {
    const bank = await startBank(replyAsMcpServer);
    const servers = {
      bank: { url: `http://${bank.place}/mcp`, transport: "http", terms: { "*": { trusted: true } } },
    };
    return { bank, name: "bank/pay", haft: await openHaft({ mcp: { servers, lock: false } }) };
  },
  "an HTTP service": async () => {
    const bank = await startBank((response) => void response.writeHead(200).end("paid"));
    return { bank, name: "pay", haft: await openPayTool(bank.place) };
  },
};

const openPayTool = (place: string, annotations = {}) => {
  const pay = tool({
    name: "pay",
    description: "Pays",
    input: { type: "object" } as const,
    annotations,
    tags: ["trusted"],
    implementation: http({ url: `http://${place}/`, method: "POST" }),
  });
  return openHaft({ tools: [pay], httpEgress: { allow: [place] } });
};

describe("a connection that is lost after the request was sent", () => {
  it.each(Object.keys(openBoth) as (keyof typeof openBoth)[])(
    "to %s requires approval of the repeated call and permits no retry",
    async (kind) => {
      const { bank, name, haft } = await openBoth[kind]();
      const session = haft.session({ id: "s" });
      const [first] = await session.turn([{ id: "1", tool: name, input: {} }]);
      expect(first?.failure).toMatchObject({ ran: true, retryable: false, answerLost: true });
      const [again] = await session.turn([{ id: "2", tool: name, input: {} }]);
      expect(again?.pending?.reason).toContain("whether it took effect is unknown");
      expect(bank.paid).toBe(1);
      const [entry] = await haft.log({ tool: name });
      expect(entry?.attempts).toMatchObject([{ ending: "unknown", ran: true }]);
    },
  );

  it("leaves an idempotent tool retryable", async () => {
    const bank = await startBank((response) => void response.writeHead(200).end("paid"));
    const session = (await openPayTool(bank.place, { idempotent: true })).session({ id: "s" });
    const [first] = await session.turn([{ id: "1", tool: "pay", input: {} }]);
    expect(first?.failure?.retryable).toBeUndefined();
    const [again] = await session.turn([{ id: "2", tool: "pay", input: {} }]);
    expect(again?.ok).toBe(true);
  });
});

it("fails the repeated call of a server's tool with a key in its terms, in every session", async () => {
  const bank = await startBank(replyAsMcpServer);
  const terms = { pay: { trusted: true, key: "/order" } };
  const servers = { bank: { url: `http://${bank.place}/mcp`, transport: "http", terms } };
  const haft = await openHaft({ mcp: { servers, lock: false } });
  const pay = async (order: number) => {
    const [reply] = await haft.turn([{ id: "1", tool: "bank/pay", input: { order } }]);
    return reply;
  };
  expect((await pay(7))?.failure?.code).toBe("mcp_unreachable");
  expect((await pay(7))?.failure?.code).toBe("mcp_unreachable");
  expect(bank.paid).toBe(1);
  expect((await pay(8))?.ok).toBe(true);
  expect((await pay(8))?.ok).toBe(true);
  expect(bank.paid).toBe(2);
});

it("leaves a call that was never sent retryable", async () => {
  const server = createServer();
  const place = await listenOnLoopback(server);
  await stopServer(server);
  const session = (await openPayTool(place)).session({ id: "s" });
  for (const id of ["1", "2"]) {
    const [reply] = await session.turn([{ id, tool: "pay", input: {} }]);
    expect(reply?.failure).toMatchObject({ code: "failed", ran: false });
    expect(reply?.failure?.retryable).toBeUndefined();
  }
});
