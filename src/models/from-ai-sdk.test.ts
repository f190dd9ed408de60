import { expect, test } from "vitest";
import { specOf } from "../../test/exports/spec-of.ts";
import { collectStream } from "../../test/kit/collect.ts";
import { fakeLanguageModel as fake } from "../../test/kit/fake-language-model.ts";
import { ConfigurationError, ModelError, ToolCancelledError } from "../types/errors.ts";
import type { Message } from "../types/message.ts";
import type { ModelReply, ModelRequest } from "../types/model.ts";
import { fromAiSdk } from "./from-ai-sdk.ts";

const usage = {
  inputTokens: { total: 12, noCache: 8, cacheRead: 4, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};
const asking = { unified: "tool-calls", raw: "tool_use" };
const done = { unified: "stop", raw: "end_turn" };

const tools = [{ wireName: "get_weather", spec: specOf({ type: "object", properties: {} }) }];
const hello: ModelRequest = { messages: [{ role: "user", content: "Hi" }], tools: [] };

const calls = [
  { type: "tool-call", toolCallId: "c1", toolName: "get_weather", input: '{"city":"Oslo"}' },
  { type: "tool-call", toolCallId: "c2", toolName: "get_weather", input: '{"city":"Rome"}' },
];

const twoCalls: ModelReply = {
  text: "Looking.",
  calls: [
    {
      id: "c1",
      tool: "get_weather",
      input: '{"city":"Oslo"}',
      index: 0,
      part: "/content/1",
      finish: "complete",
    },
    {
      id: "c2",
      tool: "get_weather",
      input: '{"city":"Rome"}',
      index: 1,
      part: "/content/2",
      finish: "complete",
    },
  ],
  usage: { inputTokens: 12, outputTokens: 5, cachedTokens: 4 },
  finish: "calls",
};

test("parallel calls of a whole result keep their argument text", async () => {
  const content = [{ type: "text", text: "Looking." }, ...calls];
  const { model } = fake({ result: { content, finishReason: asking, usage, warnings: [] } });
  expect(model.id).toBe("acme.chat/large");
  expect(await model.generate({ ...hello, tools })).toStrictEqual(twoCalls);
});

test("a stream emits text and calls as they start and ends with the same reply", async () => {
  const { model, cancelled } = fake({
    parts: [
      { type: "stream-start", warnings: [] },
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "Look" },
      { type: "text-delta", id: "0", delta: "ing." },
      { type: "text-end", id: "0" },
      { type: "tool-input-start", id: "c1", toolName: "get_weather" },
      { type: "tool-input-start", id: "c2", toolName: "get_weather" },
      { type: "tool-input-delta", id: "c2", delta: '{"city":' },
      { type: "tool-input-delta", id: "c1", delta: '{"city":"Oslo"}' },
      { type: "tool-input-end", id: "c1" },
      calls[0],
      { type: "tool-input-delta", id: "c2", delta: '"Rome"}' },
      { type: "tool-input-end", id: "c2" },
      calls[1],
      { type: "finish", finishReason: asking, usage },
    ],
  });
  const { reported, reply } = await collectStream(model.stream({ ...hello, tools }));
  expect(reported).toStrictEqual([
    { kind: "text", text: "Look" },
    { kind: "text", text: "ing." },
    { kind: "call", id: "c1", tool: "get_weather" },
    { kind: "call", id: "c2", tool: "get_weather" },
  ]);
  expect(reply).toStrictEqual(twoCalls);
  expect(cancelled).toStrictEqual([]);
});

test("a result of specification v2 has a string finish and numeric usage", async () => {
  const finish = { finishReason: "stop", usage: { inputTokens: 3, outputTokens: undefined, totalTokens: 3 } };
  const { model } = fake({ version: "v2", result: { content: [{ type: "text", text: "Hi" }], ...finish } });
  expect(await model.generate(hello)).toStrictEqual({
    text: "Hi",
    calls: [],
    usage: { inputTokens: 3, outputTokens: 0 },
    finish: "stop",
  });
});

test("conversation, tools and settings follow the specification", async () => {
  const { model, asked } = fake({ result: { content: [], finishReason: done, usage } });
  const messages: Message[] = [
    { role: "system", content: "Be kind." },
    { role: "user", content: "Weather?" },
    {
      role: "assistant",
      content: "",
      calls: [
        { id: "c1", tool: "get_weather", input: '{"city":"Oslo"}' },
        { id: "c2", tool: "get_weather", input: '{"city":' },
        { id: "c3", tool: "search", input: "{}", providerExecuted: true },
      ],
    },
    { role: "tool", callId: "c1", tool: "get_weather", content: "21", ok: true },
    { role: "tool", callId: "c2", tool: "get_weather", content: "not JSON", ok: false },
  ];
  const settings = {
    temperature: 0.5,
    topP: 0.9,
    maxTokens: 100,
    stop: ["END"],
    seed: 7,
    toolChoice: { tool: "get_weather" },
  };
  await model.generate({ messages, tools, settings });
  const { abortSignal, ...options } = asked[0]!;
  expect(abortSignal).toBeInstanceOf(AbortSignal);
  expect(options).toStrictEqual({
    prompt: [
      { role: "system", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Weather?" }] },
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "c1", toolName: "get_weather", input: { city: "Oslo" } },
          { type: "tool-call", toolCallId: "c2", toolName: "get_weather", input: { unreadable: '{"city":' } },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "c1",
            toolName: "get_weather",
            output: { type: "text", value: "21" },
          },
          {
            type: "tool-result",
            toolCallId: "c2",
            toolName: "get_weather",
            output: { type: "error-text", value: "not JSON" },
          },
        ],
      },
    ],
    tools: [
      {
        type: "function",
        name: "get_weather",
        description: expect.any(String),
        inputSchema: { type: "object", properties: {} },
      },
    ],
    toolChoice: { type: "tool", toolName: "get_weather" },
    maxOutputTokens: 100,
    temperature: 0.5,
    topP: 0.9,
    stopSequences: ["END"],
    seed: 7,
  });
});

test("an unfinished call is marked as incomplete", async () => {
  const { model } = fake({
    parts: [
      { type: "tool-input-start", id: "c1", toolName: "get_weather" },
      { type: "tool-input-delta", id: "c1", delta: '{"city":"Os' },
      { type: "finish", finishReason: { unified: "length", raw: "max_tokens" }, usage },
    ],
  });
  const { reply } = await collectStream(model.stream(hello));
  expect(reply?.finish).toBe("length");
  expect(reply?.calls).toStrictEqual([
    {
      id: "c1",
      tool: "get_weather",
      input: '{"city":"Os',
      index: 0,
      part: "/content/0",
      finish: "incomplete",
    },
  ]);
});

test.each([
  ["a stream without a finish", { parts: [{ type: "text-start", id: "0" }] }],
  ["an empty stream", { parts: [] }],
  ["a finish of error", { parts: [{ type: "finish", finishReason: "error", usage }] }],
  ["a result without content", { result: { finishReason: done, usage } }],
  ["no result", { result: undefined }],
])("%s fails with a retryable model_unreadable error", async (_, script) => {
  const { model } = fake(script);
  const failure = "parts" in script ? collectStream(model.stream(hello)) : model.generate(hello);
  const error = await failure.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ModelError);
  expect(error).toMatchObject({ code: "model_unreadable", retryable: true });
});

const limited = Object.assign(new Error("slow down"), {
  name: "AI_APICallError",
  statusCode: 429,
  responseHeaders: { "retry-after": "7" },
  responseBody: '{"error":{"message":"slow down"}}',
});

test("a provider error becomes a typed error with retryAfterMs, thrown or streamed", async () => {
  const { model } = fake({ result: limited, parts: [{ type: "error", error: limited }] });
  const expected = { code: "model_rate_limited", failure: { retryAfterMs: 7000 } };
  await expect(model.generate(hello)).rejects.toMatchObject(expected);
  await expect(collectStream(model.stream(hello))).rejects.toMatchObject(expected);
});

test("an aborted request is cancelled before it starts and during a stream", async () => {
  const { model, cancelled } = fake({
    parts: [
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "Hi" },
    ],
    hangs: true,
  });
  const controller = new AbortController();
  const events = model.stream(hello, { signal: controller.signal })[Symbol.asyncIterator]();
  expect(await events.next()).toMatchObject({ value: { kind: "text" } });
  const next = events.next();
  controller.abort(new Error("enough"));
  await expect(next).rejects.toBeInstanceOf(ToolCancelledError);
  expect(cancelled).toHaveLength(1);
  await expect(model.generate(hello, { signal: controller.signal })).rejects.toBeInstanceOf(
    ToolCancelledError,
  );
});

test("a stream that is not read to its end is cancelled", async () => {
  const { model, cancelled, asked } = fake({
    parts: [
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "Hi" },
    ],
    hangs: true,
  });
  for await (const event of model.stream(hello)) {
    expect(event.kind).toBe("text");
    break;
  }
  expect(cancelled).toHaveLength(1);
  expect((asked[0]!.abortSignal as AbortSignal).aborted).toBe(true);
});

test("a value that is not a supported language model is rejected with an explanation", () => {
  const old = { specificationVersion: "v1", provider: "p", modelId: "m", doGenerate() {}, doStream() {} };
  expect(() => fromAiSdk(old as never)).toThrow(/this one has v1/);
  expect(() => fromAiSdk("openai/gpt" as never)).toThrow(ConfigurationError);
});

test.each([
  [{ unified: "stop", raw: "pause_turn" }, "pause"],
  [{ unified: "content-filter", raw: "refusal" }, "refusal"],
  [{ unified: "content-filter", raw: "SAFETY" }, "filter"],
  ["content-filter", "filter"],
])("a reply that ended with %j has finish %s", async (finishReason, finish) => {
  const content = [{ type: "text", text: "So" }];
  const { model } = fake({ result: { content, finishReason, usage, warnings: [] } });
  expect((await model.generate(hello)).finish).toBe(finish);
});
