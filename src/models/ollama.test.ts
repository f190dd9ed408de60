import { expect, test, vi } from "vitest";
import { modelContract } from "../../test/contracts/model-contract.ts";
import { specOf } from "../../test/exports/spec-of.ts";
import { collectStream } from "../../test/kit/collect.ts";
import { type ScriptedResponse, wireServer } from "../../test/kit/wire-server.ts";
import { ConfigurationError, ToolCancelledError } from "../types/errors.ts";
import type { ModelRequest } from "../types/model.ts";
import { ollama } from "./ollama.ts";

modelContract("ollama", (host) => ollama("llama3.2", { host }));

const tools = [{ wireName: "get_weather", spec: specOf({ type: "object", properties: {} }) }];
const request: ModelRequest = { messages: [{ role: "user", content: "Hi" }], tools };

const line = (message: object, more: object = {}) => ({
  model: "qwen3",
  created_at: "2026-01-01T00:00:00Z",
  message: { role: "assistant", content: "", ...message },
  done: false,
  ...more,
});
const call = (city: string, more: object = {}) => ({
  ...more,
  function: { name: "get_weather", arguments: { city } },
});
const end = line(
  {},
  { done: true, done_reason: "stop", total_duration: 9, prompt_eval_count: 26, eval_count: 12 },
);

const serve = (answer: ScriptedResponse | readonly ScriptedResponse[]) => wireServer({ "/api/chat": answer });

test("a stream with one call per line and thinking becomes one reply with usage", async () => {
  await using server = await serve({
    ndjson: [
      line({ thinking: "Two " }),
      line({ thinking: "cities." }),
      line({ content: "Look" }),
      line({ content: "ing." }),
      line({ tool_calls: [call("Oslo", { id: "call_a1" })] }),
      line({ tool_calls: [call("Rome")] }),
      end,
    ],
  });
  const { reported, reply } = await collectStream(ollama("qwen3", { host: server.url }).stream(request));
  expect(reported).toStrictEqual([
    { kind: "reasoning", text: "Two " },
    { kind: "reasoning", text: "cities." },
    { kind: "text", text: "Look" },
    { kind: "text", text: "ing." },
    { kind: "call", id: "call_a1", tool: "get_weather" },
    { kind: "call", id: "ollama_call_1", tool: "get_weather" },
  ]);
  expect(reply).toStrictEqual({
    text: "Looking.",
    calls: [
      {
        id: "call_a1",
        tool: "get_weather",
        input: '{"city":"Oslo"}',
        index: 0,
        part: "/message/tool_calls/0",
        finish: "complete",
      },
      {
        id: "ollama_call_1",
        tool: "get_weather",
        input: '{"city":"Rome"}',
        index: 1,
        part: "/message/tool_calls/1",
        finish: "complete",
      },
    ],
    usage: { inputTokens: 26, outputTokens: 12 },
    finish: "calls",
    reasoning: "Two cities.",
    echo: { wire: "ollama", data: { thinking: "Two cities." } },
  });
});

test("the request contains settings, headers and tools, and no tools for toolChoice none", async () => {
  await using server = await serve([{ json: end }, { json: end }]);
  const model = ollama("qwen3", { host: server.url, headers: { authorization: "Bearer canary" } });
  const settings = {
    temperature: 0,
    topP: 0.5,
    maxTokens: 9,
    stop: ["END"],
    seed: 1,
    toolChoice: "required",
  } as const;
  await model.generate({ ...request, settings });
  await model.generate({ ...request, settings: { toolChoice: "none" } });
  const [first, second] = server.requests;
  expect(first?.headers.authorization).toBe("Bearer canary");
  expect(first?.body).toStrictEqual({
    model: "qwen3",
    stream: false,
    messages: [{ role: "user", content: "Hi" }],
    tools: [
      {
        type: "function",
        function: {
          name: "get_weather",
          description: "A tool",
          parameters: { type: "object", properties: {} },
        },
      },
    ],
    options: { temperature: 0, top_p: 0.5, num_predict: 9, stop: ["END"], seed: 1 },
  });
  expect(second?.body).not.toHaveProperty("tools");
});

test("a line that is not JSON fails the reply, although the SDK would skip it", async () => {
  const warned = vi.spyOn(console, "warn");
  await using server = await serve({ ndjson: [line({ content: "a" }), '{"message":{"content":"b', end] });
  const reading = collectStream(ollama("qwen3", { host: server.url }).stream(request));
  await expect(reading).rejects.toMatchObject({ code: "model_unreadable", retryable: true });
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});

test.each([
  ["a stream without its last line", { ndjson: [line({ content: "Hal" })] }],
  ["a stream that ends within a line", { text: `${JSON.stringify(line({ content: "Hal" }))}\n{"mess` }],
  ["an empty stream", { ndjson: [] }],
  ["a line without a message", { ndjson: [{ done: true }] }],
  ["a line that is a number", { ndjson: [7] }],
])("%s fails with model_unreadable in a stream", async (_, answer) => {
  await using server = await serve(answer);
  const reading = collectStream(ollama("qwen3", { host: server.url }).stream(request));
  await expect(reading).rejects.toMatchObject({ code: "model_unreadable", retryable: true });
});

test.each([
  ["a body that is not done", { json: line({ content: "Hal" }) }],
  ["a body without a message", { json: {} }],
  ["a body of null", { json: null }],
  ["an empty body", { text: "" }],
])("%s fails with model_unreadable in a body", async (_, answer) => {
  await using server = await serve(answer);
  const asking = ollama("qwen3", { host: server.url }).generate(request);
  await expect(asking).rejects.toMatchObject({ code: "model_unreadable", retryable: true });
});

test("an error within a stream is reported as model_overloaded", async () => {
  await using server = await serve({ ndjson: [line({ content: "Hal" }), { error: "out of memory" }] });
  const reading = collectStream(ollama("qwen3", { host: server.url }).stream(request));
  await expect(reading).rejects.toMatchObject({
    code: "model_overloaded",
    message: expect.stringContaining("out of memory"),
  });
});

test("a missing model is reported as model_bad_request without console output", async () => {
  const logged = vi.spyOn(console, "log");
  const headers = { "content-type": "text/plain" };
  await using server = await serve([
    { status: 404, json: { error: 'model "nope" not found, try pulling it first' } },
    { status: 404, text: "404 page not found", headers },
  ]);
  const model = ollama("nope", { host: server.url });
  await expect(model.generate(request)).rejects.toMatchObject({
    code: "model_bad_request",
    message: expect.stringContaining("try pulling it first"),
  });
  await expect(model.generate(request)).rejects.toMatchObject({ code: "model_bad_request" });
  expect(logged).not.toHaveBeenCalled();
  logged.mockRestore();
});

test("a reply that ran out of tokens has finish length", async () => {
  await using server = await serve({ json: { ...end, done_reason: "length" } });
  expect(await ollama("qwen3", { host: server.url }).generate(request)).toMatchObject({ finish: "length" });
});

test("an abort cancels a pending request", async () => {
  const arrived = Promise.withResolvers<void>();
  await using server = await wireServer({
    "/api/chat": () => {
      arrived.resolve();
      return { then: "hang" };
    },
  });
  const controller = new AbortController();
  const asking = ollama("qwen3", { host: server.url }).generate(request, { signal: controller.signal });
  await arrived.promise;
  controller.abort();
  await expect(asking).rejects.toBeInstanceOf(ToolCancelledError);
});

test("an abort cancels a running stream", async () => {
  await using server = await serve({ ndjson: [line({ content: "Hal" })], then: "hang" });
  const controller = new AbortController();
  const model = ollama("qwen3", { host: server.url });
  const events = model.stream(request, { signal: controller.signal })[Symbol.asyncIterator]();
  expect(await events.next()).toMatchObject({ value: { kind: "text", text: "Hal" } });
  const next = events.next();
  controller.abort();
  await expect(next).rejects.toBeInstanceOf(ToolCancelledError);
});

test("the connection of an abandoned stream is closed", async () => {
  await using server = await serve({ ndjson: [line({ content: "Hal" })], then: "hang" });
  const closed = Promise.withResolvers<void>();
  const watched: typeof fetch = (url, init) => {
    init?.signal?.addEventListener("abort", () => closed.resolve());
    return fetch(url, init);
  };
  for await (const _ of ollama("qwen3", { host: server.url, fetch: watched }).stream(request)) break;
  await closed.promise;
});

test("a custom client is used, and an abort does not wait for it", async () => {
  const asked: unknown[] = [];
  const chat = (body: unknown) => {
    asked.push(body);
    return asked.length === 1 ? Promise.resolve(end) : new Promise(() => {});
  };
  const model = ollama("qwen3", { client: { chat } });
  expect(await model.generate(request)).toMatchObject({ finish: "stop" });
  const controller = new AbortController();
  const asking = model.generate(request, { signal: controller.signal });
  controller.abort();
  await expect(asking).rejects.toBeInstanceOf(ToolCancelledError);
  expect(asked).toHaveLength(2);
});

test("an invalid host is reported without its value", async () => {
  const asking = ollama("qwen3", { host: "http://me:canary@:port" }).generate(request);
  const error = await asking.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(String(error)).toContain("is not a URL");
  expect(String(error)).not.toContain("canary");
});
