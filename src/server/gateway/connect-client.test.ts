import { afterEach, describe, expect, test } from "vitest";
import { failureReply, fakeGatewayBackend, fakeTool } from "../../../test/kit/fake-gateway-backend.ts";
import {
  type ClientCapabilities,
  clientRoutes,
  sdkClient,
  type TestGateway,
} from "../../../test/kit/gateway-clients.ts";
import { waitFor } from "../../../test/kit/wait-for.ts";
import type { RemoteResult } from "../../types/mcp.ts";
import type { BackendCall } from "./gateway-backend.ts";

let gateway: TestGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

/** Gives the client this remote result, and replaces it by another value in the pipeline. */
const remote = (result: RemoteResult) => (call: BackendCall) => {
  const value = { answer: "for the result" };
  call.caller.received?.(value, result, call.id);
  return { ...value };
};

describe.each(clientRoutes)("over $over in the $era era", ({ era, over, open }) => {
  const scene = async (
    options: Parameters<typeof fakeGatewayBackend>[0],
    more: { readonly capabilities?: ClientCapabilities; readonly gateway?: Parameters<typeof open>[1] } = {},
  ) => {
    const fake = fakeGatewayBackend(options);
    gateway = open(fake.served, more.gateway);
    const client = sdkClient(era, more.capabilities);
    return { ...fake, client, connect: () => gateway!.connect(client) };
  };

  test("lists the tools of the caller in the order in which they are served", async () => {
    const { client, connect } = await scene({ tools: [fakeTool("b"), fakeTool("a", { title: "A" })] });
    await connect();
    const { tools, ...rest } = (await client.listTools()) as Record<string, unknown>;
    expect((tools as { name: string }[]).map(({ name }) => name)).toEqual(["b", "a"]);
    expect(rest.cacheScope).toBe(era === "modern" ? "private" : undefined);
    expect(rest.ttlMs).toBe(era === "modern" ? 30_000 : undefined);
  });

  test("makes a call once for its caller and returns its value as structure and text", async () => {
    const { client, connect, calls } = await scene({ runs: { weather: () => ({ celsius: 21 }) } });
    await connect();
    const result = await client.callTool({ name: "weather", arguments: { city: "Oslo" } });
    expect(result).toMatchObject({
      content: [{ type: "text", text: '{"celsius":21}' }],
      structuredContent: { celsius: 21 },
    });
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({
      tool: "weather",
      // Both ends share this process, so the input is not text.
      input: over === "http" ? '{"city":"Oslo"}' : { city: "Oslo" },
      principal: { agent: "alice" },
    });
  });

  test("passes a remote result on unchanged", async () => {
    const whole: RemoteResult = {
      content: [
        { type: "text", text: "hello", annotations: { audience: ["user"] } },
        { type: "image", data: "aGk=", mimeType: "image/png" },
        { type: "audio", data: "aGk=", mimeType: "audio/wav" },
        { type: "resource_link", uri: "file:///a", name: "a" },
        { type: "resource", resource: { uri: "file:///b", text: "b", mimeType: "text/plain" } },
      ],
      structuredContent: { deep: { list: [1, "two", null] } },
      _meta: { "example.com/trace": "t" },
    };
    const { client, connect } = await scene({ runs: { everything: remote(whole) } });
    await connect();
    const { _meta, ...result } = await client.callTool({ name: "everything" });
    expect(result).toEqual({ content: whole.content, structuredContent: whole.structuredContent });
    expect(_meta).toMatchObject({ "example.com/trace": "t" });
  });

  test("returns the value with which a layer replaced a remote result", async () => {
    const { client, connect } = await scene({
      runs: {
        rewritten: (call) => {
          call.caller.received?.({ of: "server" }, { content: [{ type: "text", text: "secret" }] }, call.id);
          return { of: "layer" };
        },
      },
    });
    await connect();
    const result = await client.callTool({ name: "rewritten" });
    expect(result.structuredContent).toEqual({ of: "layer" });
    expect(JSON.stringify(result)).not.toContain("secret");
  });

  test("masks known secrets in texts and structured content only", async () => {
    const { client, connect } = await scene({
      runs: {
        leaky: remote({
          content: [
            { type: "text", text: "key hunter2 found" },
            { type: "image", data: "hunter2A", mimeType: "image/png" },
          ],
          structuredContent: { list: ["hunter2"] },
        }),
        own: () => ({ token: "hunter2" }),
      },
      redact: (text) => text.replaceAll("hunter2", "[masked]"),
    });
    await connect();
    expect(await client.callTool({ name: "leaky" })).toMatchObject({
      content: [
        { type: "text", text: "key [masked] found" },
        { type: "image", data: "hunter2A" },
      ],
      structuredContent: { list: ["[masked]"] },
    });
    expect((await client.callTool({ name: "own" })).structuredContent).toEqual({ token: "[masked]" });
  });

  test("keeps the content of a remote failure, and returns a message for any other failure", async () => {
    const { client, connect } = await scene({
      runs: {
        remote: (call) => {
          const content = [{ type: "text", text: "disk full" }];
          call.caller.received?.(undefined, { content, isError: true }, call.id);
          return failureReply(call, { code: "failed", message: "disk full" });
        },
        slow: (call) => failureReply(call, { code: "timed_out", message: "It took too long." }),
      },
    });
    await connect();
    expect(await client.callTool({ name: "remote" })).toMatchObject({
      content: [{ type: "text", text: "disk full" }],
      isError: true,
    });
    expect(await client.callTool({ name: "slow" })).toMatchObject({
      content: [{ type: "text", text: "Error: It took too long." }],
      isError: true,
      _meta: { "haft/failure": { code: "timed_out", retryable: true } },
    });
  });

  test("reports unknown tools, hidden tools and protocol errors of a server as protocol errors", async () => {
    const { client, connect } = await scene({
      runs: {
        hidden: (call) => failureReply(call, { code: "not_visible", message: "not yours" }),
        broken: (call) =>
          failureReply(call, {
            code: "mcp_protocol",
            message: "The server said no.",
            cause: { code: -32050, message: "no such thing", data: { why: "gone" } },
          }),
      },
    });
    await connect();
    await expect(client.callTool({ name: "absent" })).rejects.toMatchObject({
      code: -32602,
      message: "Unknown tool: absent",
    });
    await expect(client.callTool({ name: "hidden" })).rejects.toMatchObject({
      code: -32602,
      message: "Unknown tool: hidden",
    });
    await expect(client.callTool({ name: "broken" })).rejects.toMatchObject({
      code: -32050,
      message: "no such thing",
      data: { why: "gone" },
    });
  });

  test("sends progress only to the client that requested it, and only upward", async () => {
    const { client, connect, progress, listeners } = await scene({
      runs: {
        long: async (call) => {
          for (const update of [1, { progress: 2, total: 4, message: "half" }, { progress: 2 }, "a word"]) {
            progress(call.id, update);
          }
          progress("another call", 99);
          return "done";
        },
      },
    });
    await connect();
    const observed: unknown[] = [];
    await client.callTool({ name: "long" }, { onprogress: (update) => observed.push(update) });
    await waitFor(() => expect(observed).toHaveLength(3));
    expect(observed).toEqual([
      { progress: 1 },
      { progress: 2, total: 4, message: "half" },
      { progress: 3, message: "a word" },
    ]);
    expect(listeners.progress.size).toBe(0);
  });

  test("cancels a call when its client cancels it", async () => {
    const seen = Promise.withResolvers<BackendCall>();
    const { client, connect } = await scene({
      runs: {
        endless: (call) => {
          seen.resolve(call);
          return new Promise((resolve) => call.signal.addEventListener("abort", () => resolve("stopped")));
        },
      },
    });
    await connect();
    const giveUp = new AbortController();
    const call = client.callTool({ name: "endless" }, { signal: giveUp.signal });
    const { signal } = await seen.promise;
    giveUp.abort("enough");
    await expect(call).rejects.toThrow();
    await waitFor(() => expect(signal.aborted).toBe(true));
  });

  test("sends the log messages of a server that the client's level includes", async () => {
    const { client, connect } = await scene({
      runs: {
        chatty: (call) => {
          call.caller.logged?.({ level: "debug", data: "too quiet" });
          call.caller.logged?.({ level: "error", logger: "s", data: { what: "loud" } });
          return "done";
        },
      },
    });
    await connect();
    const observed: unknown[] = [];
    client.setNotificationHandler("notifications/message", ({ params }) => {
      observed.push(params);
    });
    const meta = era === "modern" ? { _meta: { "io.modelcontextprotocol/logLevel": "warning" } } : {};
    if (era === "legacy") await client.setLoggingLevel("warning");
    await client.callTool({ name: "chatty", ...meta } as Parameters<typeof client.callTool>[0]);
    await waitFor(() => expect(observed).toEqual([{ level: "error", logger: "s", data: { what: "loud" } }]));
  });

  test("refuses invalid parameters without making a call", async () => {
    const { client, connect, calls } = await scene({ runs: { tool: () => "x" } });
    await connect();
    const call = client.callTool({ name: "tool", arguments: [] as never });
    await expect(call).rejects.toMatchObject({ code: -32602 });
    expect(calls).toHaveLength(0);
  });
});
