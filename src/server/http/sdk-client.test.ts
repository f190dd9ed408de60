import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { describe, expect, onTestFinished, test } from "vitest";
import { hostScene } from "../../../test/kit/host-scene.ts";
import { createTokenSigner, jwtAuthOf, toKeySet } from "../../../test/kit/jwt-scene.ts";
import { waitFor } from "../../../test/kit/wait-for.ts";
import type { Principal } from "../../types/principal.ts";

const one = await createTokenSigner();

/** The official server with three tools, behind the host. */
const scene = async () => {
  const principals: Principal[] = [];
  const aborted: unknown[] = [];
  let began: () => void = () => {};
  const running = new Promise<void>((resolve) => {
    began = resolve;
  });
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "tiny", version: "1.0.0" });
    const inputSchema = fromJsonSchema<{ text: string }>({
      type: "object",
      properties: { text: { type: "string" } },
      required: ["text"],
    });
    server.registerTool("echo", { inputSchema }, async ({ text }) => ({ content: [{ type: "text", text }] }));
    server.registerTool("steps", {}, async (context) => {
      const progressToken = context.mcpReq._meta?.progressToken;
      for (const progress of [1, 2, 3])
        await context.mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken: progressToken!, progress },
        });
      return { content: [] };
    });
    server.registerTool("hang", {}, (context) => {
      began();
      return new Promise((_, reject) => {
        context.mcpReq.signal.addEventListener("abort", () => {
          aborted.push(context.mcpReq.signal.reason);
          reject(new Error("aborted"));
        });
      });
    });
    return server;
  });
  const host = await hostScene({
    auth: jwtAuthOf(toKeySet(one)),
    mcp: {
      fetch: (request, { principal, body }) => {
        principals.push(principal);
        const parsedBody = body === undefined ? undefined : JSON.parse(new TextDecoder().decode(body));
        return handler.fetch(request, { parsedBody });
      },
      close: () => handler.close(),
    },
  });
  const connect = async (mode: "auto" | "legacy", token: string) => {
    const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
    onTestFinished(() => client.close());
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(host.url), { requestInit }));
    return client;
  };
  return { host, principals, aborted, running, connect };
};

describe.each(["auto", "legacy"] as const)("official client (%s)", (mode) => {
  test("lists tools, makes calls and receives progress through the host", async () => {
    const { connect, principals, host } = await scene();
    const client = await connect(mode, await one.sign({ scope: "mail.read" }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["echo", "steps", "hang"]);
    const echoed = await client.callTool({ name: "echo", arguments: { text: "größe ".repeat(50_000) } });
    expect(echoed.content).toEqual([{ type: "text", text: "größe ".repeat(50_000) }]);
    const received: number[] = [];
    await client.callTool({ name: "steps" }, { onprogress: ({ progress }) => void received.push(progress) });
    expect(received).toEqual([1, 2, 3]);
    expect(new Set(principals.map(({ agent, user }) => `${agent} for ${user}`))).toEqual(
      new Set(["editor for ada"]),
    );
    expect(host.errors).toEqual([]);
  });

  test("is refused without a valid token", async () => {
    const { connect, principals } = await scene();
    const wrong = await one.sign({ aud: "https://other.example.com" });
    await expect(connect(mode, wrong)).rejects.toThrow(/401|another audience/);
    expect(principals).toEqual([]);
  });
});

test("aborts a call in the server when the client cancels it", async () => {
  const { connect, running, aborted } = await scene();
  const client = await connect("auto", await one.sign());
  const leave = new AbortController();
  const call = client.callTool({ name: "hang" }, { signal: leave.signal });
  await running;
  leave.abort();
  await expect(call).rejects.toThrow();
  await waitFor(() => expect(aborted).toHaveLength(1));
});
