import { randomBytes } from "node:crypto";
import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it } from "vitest";
import type { BackendCall } from "../../../src/server/gateway/gateway-backend.ts";
import { createMcpFetch, type McpFetch } from "../../../src/server/gateway/mcp-fetch.ts";
import type { Peers } from "../../../src/server/gateway/peers/peers.ts";
import { openPostgresPeers } from "../../../src/server/gateway/peers/postgres-peers.ts";
import { type FakeToolRun, fakeGatewayBackend } from "../../kit/fake-gateway-backend.ts";
import { alicePrincipal, bobPrincipal, type ProtocolEra, sdkClient } from "../../kit/gateway-clients.ts";
import { postModern } from "../../kit/post-modern.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { usePostgres } from "../kit/use-postgres.ts";

const world = usePostgres();
const key = randomBytes(32).toString("base64");
const eras: readonly ProtocolEra[] = ["legacy", "modern"];

interface Opened {
  readonly peers: Peers;
  readonly http: McpFetch;
  readonly end: () => Promise<void>;
}
const opened: Opened[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ end }) => end()));
});

/** Gateways over one database, each with its own tools, and a client with a selectable gateway. */
const openTwo = async (runs: Readonly<Record<string, FakeToolRun>>) => {
  const url = await world.freshSchema();
  const fake = fakeGatewayBackend({ runs });
  const open = async (): Promise<Opened> => {
    const peers = await openPostgresPeers({ url, key });
    const http = createMcpFetch(fake.served, { approvals: "client", peers });
    let ended: Promise<void> | undefined;
    const end = () => {
      ended ??= http.close(0).then(() => peers.close());
      return ended;
    };
    const one = { peers, http, end };
    opened.push(one);
    return one;
  };
  const [here, there] = [await open(), await open()];
  const turn = { now: here.http };
  const connect = async (client: Client): Promise<Client> => {
    const transport = new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), {
      fetch: (at, init) =>
        turn.now.fetch(new Request(at, init as RequestInit), { principal: alicePrincipal }),
    });
    await client.connect(transport);
    return client;
  };
  return { here, there, turn, connect, calls: fake.calls };
};

const form = {
  method: "elicitation/create",
  params: { mode: "form", message: "Which?", requestedSchema: { type: "object", properties: {} } },
} as const;

/** A tool that elicits an answer during its call, as a server behind the gateway does. */
const asking: FakeToolRun = async ({ caller, signal }: BackendCall) => {
  const answers = await caller.ask!({ which: form } as never, signal);
  return `answered ${JSON.stringify((answers as Record<string, { content?: unknown }>).which?.content)}`;
};

describe.each(eras)("elicitation during a call of a %s client", (era) => {
  it("is answered at another gateway, and the gateway that runs the call continues it", async () => {
    const { there, turn, connect, calls } = await openTwo({ pick: asking });
    const client = sdkClient(era, { elicitation: { form: {} } });
    client.setRequestHandler("elicitation/create", async () => {
      turn.now = there.http;
      return { action: "accept", content: { which: "the red one" } };
    });
    await connect(client);
    const { content } = await client.callTool({ name: "pick", arguments: {} });
    expect(JSON.stringify(content)).toContain("the red one");
    expect(calls).toHaveLength(1);
    await client.close();
  });
});

it("a call whose gateway died during an elicitation ends with outcome_unknown and is not repeated", async () => {
  const { here, there, turn, connect, calls } = await openTwo({ pick: asking });
  const client = sdkClient("modern", { elicitation: { form: {} } });
  client.setRequestHandler("elicitation/create", async () => {
    await here.peers.close();
    turn.now = there.http;
    return { action: "accept", content: {} };
  });
  await connect(client);
  const told = await client.callTool({ name: "pick", arguments: {} });
  expect(told).toMatchObject({ isError: true });
  expect(JSON.stringify(told)).toContain("outcome_unknown");
  expect(calls).toHaveLength(1);
  await client.close();
});

it("a session is visible only to its caller at every gateway", async () => {
  const { there, connect } = await openTwo({ pick: asking });
  const client = await connect(sdkClient("legacy"));
  const ping = (principal: typeof alicePrincipal) =>
    there.http.fetch(
      new Request("http://127.0.0.1/mcp", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-session-id": client.transport!.sessionId!,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
      }),
      { principal },
    );
  expect((await ping(bobPrincipal)).status).toBe(404);
  expect((await ping({ ...alicePrincipal, tenant: "other" })).status).toBe(404);
  expect((await ping(alicePrincipal)).status).toBe(200);
  expect((await ping(bobPrincipal)).status).toBe(404);
  await client.close();
});

it("a client cancels a call at another gateway than the one that runs it", async () => {
  const stopped = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const { there, turn, connect } = await openTwo({
    slow: ({ signal }) => {
      begun.resolve();
      signal.addEventListener("abort", () => stopped.resolve());
      return stopped.promise;
    },
  });
  const client = await connect(sdkClient("legacy"));
  const stop = new AbortController();
  const calling = client.callTool({ name: "slow", arguments: {} }, { signal: stop.signal }).catch(() => {});
  await begun.promise;
  turn.now = there.http;
  stop.abort();
  await calling;
  await stopped.promise;
  await client.close();
});

it("a task is visible only to its caller, at every gateway", async () => {
  const end = Promise.withResolvers<unknown>();
  const { here, there } = await openTwo({
    slow: ({ caller }) => {
      caller.tasked?.({ ttlMs: 60_000 });
      return end.promise;
    },
  });
  const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  const { result: made } = await postModern(here.http, "tools/call", { name: "slow" }, { capabilities });
  const { taskId } = made as { readonly taskId: string };
  const ask = (principal = alicePrincipal) =>
    postModern(there.http, "tasks/get", { taskId }, { capabilities, principal });
  expect((await ask()).result).toMatchObject({ status: "working" });
  expect((await ask(bobPrincipal)).error?.message).toContain("Unknown task");
  end.resolve("computed");
  await waitFor(async () => expect((await ask()).result).toMatchObject({ status: "completed" }));
  await here.peers.close();
  expect((await ask()).error?.message).toContain("its gateway has stopped");
});
