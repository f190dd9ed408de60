import { afterEach, expect, test, vi } from "vitest";
import { modelContract } from "../../test/contracts/model-contract.ts";
import { specOf } from "../../test/exports/spec-of.ts";
import { collectStream } from "../../test/kit/collect.ts";
import { type ScriptedResponse, wireServer } from "../../test/kit/wire-server.ts";
import { ConfigurationError, ToolCancelledError } from "../types/errors.ts";
import type { Message } from "../types/message.ts";
import type { ModelRequest } from "../types/model.ts";
import { gemini } from "./gemini.ts";

const apiKey = "AIza-canary-key";

modelContract("gemini", (baseUrl) => gemini("gemini-3-flash", { apiKey, baseUrl }), "stop");

const whole = "/v1beta/models/gemini-3-flash:generateContent";
const streamed = "/v1beta/models/gemini-3-flash:streamGenerateContent";
const serve = (answer: ScriptedResponse | readonly ScriptedResponse[]) =>
  wireServer({ [whole]: answer, [streamed]: answer });
const open = (baseUrl: string) => gemini("gemini-3-flash", { apiKey, baseUrl });

const input = { type: "object", properties: { city: { type: "string" } } } as const;
const tools = [{ wireName: "get_weather", spec: specOf(input) }];
const request: ModelRequest = { messages: [{ role: "user", content: "Hi" }], tools };

const chunk = (parts: readonly object[], more: object = {}, rest: object = {}) => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
  modelVersion: "gemini-3-flash",
  responseId: "r1",
  ...rest,
});
const usageMetadata = {
  promptTokenCount: 20,
  candidatesTokenCount: 7,
  thoughtsTokenCount: 30,
  cachedContentTokenCount: 5,
  totalTokenCount: 57,
};
const stop = { finishReason: "STOP" };
const oslo = {
  functionCall: { id: "fc-1", name: "get_weather", args: { city: "Oslo" } },
  thoughtSignature: "c2lnbmVk",
};
const rome = { functionCall: { id: "fc-2", name: "get_weather", args: { city: "Rome" } } };

afterEach(() => {
  vi.unstubAllEnvs();
});

test("parallel calls of a stream keep ids, usage and signatures", async () => {
  await using server = await serve({
    sse: [
      chunk([{ text: "Two cities.", thought: true }]),
      chunk([{ text: "Look" }]),
      chunk([{ text: "ing." }], {}, { usageMetadata: { promptTokenCount: 20 } }),
      chunk([oslo]),
      chunk([rome], stop, { usageMetadata }),
    ],
  });
  const { reply, reported } = await collectStream(open(server.url).stream(request));
  expect(reported).toStrictEqual([
    { kind: "reasoning", text: "Two cities." },
    { kind: "text", text: "Look" },
    { kind: "text", text: "ing." },
    { kind: "call", id: "fc-1", tool: "get_weather" },
    { kind: "call", id: "fc-2", tool: "get_weather" },
  ]);
  expect(reply).toStrictEqual({
    text: "Looking.",
    calls: [
      {
        id: "fc-1",
        tool: "get_weather",
        input: '{"city":"Oslo"}',
        index: 0,
        part: "/candidates/0/content/parts/3",
        finish: "complete",
      },
      {
        id: "fc-2",
        tool: "get_weather",
        input: '{"city":"Rome"}',
        index: 1,
        part: "/candidates/0/content/parts/4",
        finish: "complete",
      },
    ],
    usage: { inputTokens: 20, outputTokens: 37, cachedTokens: 5 },
    finish: "calls",
    reasoning: "Two cities.",
    echo: { wire: "gemini", data: { parts: [{ text: "Looking." }, oslo, rome] } },
  });
});

test("the request of a second turn contains signatures, results with ids, settings and the key header", async () => {
  await using server = await serve({ json: chunk([{ text: "Fine." }], stop) });
  const messages: Message[] = [
    { role: "system", content: "Be kind." },
    { role: "user", content: "Weather?" },
    {
      role: "assistant",
      content: "Looking.",
      calls: [
        { id: "fc-1", tool: "get_weather", input: { city: "Oslo" } },
        { id: "fc-2", tool: "get_weather", input: { city: "Rome" } },
      ],
      echo: { wire: "gemini", data: { parts: [{ text: "Looking." }, oslo, rome] } },
    },
    { role: "tool", callId: "fc-1", tool: "get_weather", content: "21", ok: true },
    { role: "tool", callId: "fc-2", tool: "get_weather", content: "no such city", ok: false },
  ];
  const settings = {
    temperature: 0,
    topP: 0.5,
    maxTokens: 9,
    stop: ["END"],
    seed: 1,
    toolChoice: { tool: "get_weather" },
  };
  await open(server.url).generate({ messages, tools, settings });
  expect(server.requests[0]?.headers["x-goog-api-key"]).toBe(apiKey);
  expect(server.requests[0]?.body).toStrictEqual({
    systemInstruction: { role: "user", parts: [{ text: "Be kind." }] },
    contents: [
      { role: "user", parts: [{ text: "Weather?" }] },
      { role: "model", parts: [{ text: "Looking." }, oslo, rome] },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "fc-1", name: "get_weather", response: { output: "21" } } },
          { functionResponse: { id: "fc-2", name: "get_weather", response: { error: "no such city" } } },
        ],
      },
    ],
    tools: [
      {
        functionDeclarations: [
          { name: "get_weather", description: "A tool", parametersJsonSchema: expect.any(Object) },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["get_weather"] } },
    generationConfig: { temperature: 0, topP: 0.5, maxOutputTokens: 9, stopSequences: ["END"], seed: 1 },
  });
});

test("calls of another model get the placeholder signature for models that require signatures", async () => {
  const answer = { json: chunk([{ text: "Fine." }], stop) };
  await using server = await wireServer({
    [whole]: answer,
    "/v1beta/models/gemini-2.5-flash:generateContent": answer,
  });
  const messages: Message[] = [
    ...request.messages,
    { role: "assistant", content: "", calls: [{ id: "call_1", tool: "get_weather", input: "{}" }] },
    { role: "tool", callId: "call_1", tool: "get_weather", content: "21", ok: true },
  ];
  await open(server.url).generate({ messages, tools });
  await gemini("gemini-2.5-flash", { apiKey, baseUrl: server.url }).generate({ messages, tools });
  const functionCall = { id: "call_1", name: "get_weather", args: {} };
  const reported = server.requests.map(
    ({ body }) => (body as { contents: { parts: unknown[] }[] }).contents[1],
  );
  expect(reported).toStrictEqual([
    { role: "model", parts: [{ functionCall, thoughtSignature: "skip_thought_signature_validator" }] },
    { role: "model", parts: [{ functionCall }] },
  ]);
});

test.each([
  ["MAX_TOKENS", "length"],
  ["SAFETY", "filter"],
  ["PROHIBITED_CONTENT", "filter"],
  ["RECITATION", "filter"],
  ["OTHER", "other"],
  ["SOMETHING_NEW", "other"],
])("a response that ends with %s has finish %s", async (finishReason, finish) => {
  await using server = await serve({ json: chunk([{ text: "Hal" }], { finishReason }) });
  expect(await open(server.url).generate(request)).toMatchObject({ text: "Hal", finish });
});

test("a blocked prompt is an empty reply with finish filter", async () => {
  const blocked = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata };
  await using server = await wireServer({ [whole]: { json: blocked }, [streamed]: { sse: [blocked] } });
  const model = open(server.url);
  const usage = { inputTokens: 20, outputTokens: 37, cachedTokens: 5 };
  const expected = { text: "", calls: [], usage, finish: "filter" };
  expect(await model.generate(request)).toStrictEqual(expected);
  expect((await collectStream(model.stream(request))).reply).toStrictEqual(expected);
});

test.each([
  ["a stream without a finish reason", { sse: [chunk([{ text: "Hal" }])] }],
  ["an empty stream", { sse: [] }],
  ["an event that is not JSON", { sse: [chunk([{ text: "Hal" }]), '{"candidates":[', chunk([], stop)] }],
  ["a stream that ends inside an event", { text: `data: ${JSON.stringify(chunk([], stop))}\n\ndata: {"can` }],
  ["a malformed call", { sse: [chunk([], { finishReason: "MALFORMED_FUNCTION_CALL" })] }],
])("%s fails with model_unreadable in a stream", async (_, answer) => {
  await using server = await serve(answer);
  const reading = collectStream(open(server.url).stream(request));
  await expect(reading).rejects.toMatchObject({ code: "model_unreadable", retryable: true });
});

test.each([
  ["a body without a finish reason", { json: chunk([{ text: "Hal" }]) }],
  ["a body without candidates", { json: { usageMetadata } }],
  ["an empty object", { json: {} }],
  ["an empty body", { text: "" }],
  ["a malformed call", { json: chunk([], { finishReason: "MALFORMED_FUNCTION_CALL" }) }],
])("%s fails with model_unreadable in a body", async (_, answer) => {
  await using server = await serve(answer);
  const asking = open(server.url).generate(request);
  await expect(asking).rejects.toMatchObject({ code: "model_unreadable", retryable: true });
});

const refusal = (code: number, status: string, message: string, details: readonly object[] = []) => ({
  status: code,
  json: { error: { code, message, status, details } },
});

test("error responses become typed errors with retryAfterMs and without the key", async () => {
  const pause = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "17s" };
  await using server = await serve([
    refusal(429, "RESOURCE_EXHAUSTED", "Quota exceeded", [pause]),
    refusal(400, "INVALID_ARGUMENT", `API key not valid: ${apiKey}`),
    refusal(400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum number of tokens (8)."),
    refusal(503, "UNAVAILABLE", "The model is overloaded."),
  ]);
  const model = open(server.url);
  await expect(model.generate(request)).rejects.toMatchObject({
    code: "model_rate_limited",
    failure: { retryAfterMs: 17_000 },
  });
  const refused = await model.generate(request).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "model_unauthorized", retryable: false });
  expect(JSON.stringify(refused) + String(refused)).not.toContain(apiKey);
  await expect(model.generate(request)).rejects.toMatchObject({ code: "model_context_exceeded" });
  await expect(model.generate(request)).rejects.toMatchObject({ code: "model_overloaded" });
  expect(server.requests).toHaveLength(4);
});

test("an error within a stream keeps its class", async () => {
  const error = refusal(503, "UNAVAILABLE", "The model is overloaded.").json;
  await using server = await serve({ sse: [chunk([{ text: "Hal" }]), error] });
  await expect(collectStream(open(server.url).stream(request))).rejects.toMatchObject({
    code: "model_overloaded",
  });
});

test("the SDK does not request the rest of a response that can be continued", async () => {
  const more = { finishReason: "CONTINUATION", continuationToken: "dG9rZW4=" };
  await using server = await serve([{ json: chunk([{ text: "Hal" }], more) }]);
  expect(await open(server.url).generate(request)).toMatchObject({ text: "Hal", finish: "length" });
  expect(server.requests).toHaveLength(1);
});

test("an abort cancels a pending request and a running stream", async () => {
  const arrived = Promise.withResolvers<void>();
  await using server = await wireServer({
    [whole]: () => {
      arrived.resolve();
      return { then: "hang" };
    },
    [streamed]: { sse: [chunk([{ text: "Hal" }])], then: "hang" },
  });
  const first = new AbortController();
  const asking = open(server.url).generate(request, { signal: first.signal });
  await arrived.promise;
  first.abort();
  await expect(asking).rejects.toBeInstanceOf(ToolCancelledError);

  const second = new AbortController();
  const events = open(server.url).stream(request, { signal: second.signal })[Symbol.asyncIterator]();
  expect(await events.next()).toMatchObject({ value: { kind: "text", text: "Hal" } });
  const next = events.next();
  second.abort();
  await expect(next).rejects.toBeInstanceOf(ToolCancelledError);
});

test("the connection of an abandoned stream is closed", async () => {
  await using server = await serve({ sse: [chunk([{ text: "Hal" }])], then: "hang" });
  const closed = Promise.withResolvers<void>();
  const watched: typeof fetch = (url, init) => {
    init?.signal?.addEventListener("abort", () => closed.resolve());
    return fetch(url, init);
  };
  const model = gemini("gemini-3-flash", { apiKey, baseUrl: server.url, fetch: watched });
  for await (const _ of model.stream(request)) break;
  await closed.promise;
});

test("a missing key is reported and read again for the next request", async () => {
  await using server = await serve({ json: chunk([{ text: "Fine." }], stop) });
  vi.stubEnv("GEMINI_API_KEY", undefined);
  vi.stubEnv("GOOGLE_API_KEY", undefined);
  const model = gemini("gemini-3-flash", { baseUrl: server.url });
  const error = await model.generate(request).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(String(error)).toContain("GEMINI_API_KEY");
  vi.stubEnv("GOOGLE_API_KEY", "from-google");
  vi.stubEnv("GOOGLE_GENAI_USE_VERTEXAI", "true");
  expect(await model.generate(request)).toMatchObject({ text: "Fine." });
  expect(server.requests[0]?.headers["x-goog-api-key"]).toBe("from-google");
});

test("a conversation of only system messages is rejected before sending", async () => {
  const messages: Message[] = [{ role: "system", content: "Be kind." }];
  const asking = open("http://127.0.0.1:9").generate({ messages, tools: [] });
  await expect(asking).rejects.toMatchObject({ code: "model_bad_request" });
});

test("an invalid base URL is a ConfigurationError", async () => {
  const asking = open("not an address").generate(request);
  await expect(asking).rejects.toBeInstanceOf(ConfigurationError);
});
