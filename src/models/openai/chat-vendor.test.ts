import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { collect } from "../../../test/kit/collect.ts";
import { type ScriptedResponse, wireServer } from "../../../test/kit/wire-server.ts";
import { tool } from "../../tools/tool.ts";
import type { ModelRequest } from "../../types/model.ts";
import { type OpenAIClient, openai } from "../openai.ts";

const path = "/v1/chat/completions";
const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "gpt-x",
  choices: [{ index: 0, delta, finish_reason }],
});
const called = (index: number, args: string, begin?: { readonly id: string; readonly name: string }) =>
  chunk({
    tool_calls: [
      begin === undefined
        ? { index, function: { arguments: args } }
        : { index, id: begin.id, type: "function", function: { name: begin.name, arguments: args } },
    ],
  });
const usage = {
  ...chunk({}),
  choices: [],
  usage: {
    prompt_tokens: 30,
    completion_tokens: 9,
    total_tokens: 39,
    prompt_tokens_details: { cached_tokens: 20 },
  },
};

const find = tool({
  name: "find",
  description: "Finds",
  input: {
    type: "object",
    properties: { text: { type: "string" }, limit: { type: "integer" } },
    required: ["text"],
  },
  strict: true,
  run: () => "",
});
const request: ModelRequest = {
  messages: [{ role: "user", content: "Hi" }],
  tools: [{ wireName: "find", spec: find.spec }],
};

const serve = (answer: ScriptedResponse | readonly ScriptedResponse[]) => wireServer({ [path]: answer });
const clientOf = (url: string) =>
  openai("gpt-x", { api: "chat", apiKey: "sk-test-key-1234567", baseUrl: `${url}/v1` });

describe("OpenAI chat completions", () => {
  it("sends conversation, settings and tools", async () => {
    await using server = await serve({
      json: { choices: [{ message: { content: "x" }, finish_reason: "stop" }] },
    });
    await clientOf(server.url).generate({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
        { role: "assistant", content: "", calls: [{ id: "call_1", tool: "find", input: '{"text": "a",}' }] },
        { role: "tool", callId: "call_1", tool: "find", content: "no", ok: false },
      ],
      tools: request.tools,
      settings: {
        temperature: 0,
        topP: 0.5,
        maxTokens: 9,
        stop: ["END"],
        seed: 4,
        toolChoice: { tool: "find" },
      },
    });
    expect(server.requests[0]?.body).toMatchObject({
      model: "gpt-x",
      stream: false,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "call_1", type: "function", function: { name: "find", arguments: '{"text": "a",}' } },
          ],
        },
        { role: "tool", tool_call_id: "call_1", content: "no" },
      ],
      tools: [{ type: "function", function: { name: "find", strict: true } }],
      tool_choice: { type: "function", function: { name: "find" } },
      temperature: 0,
      top_p: 0.5,
      max_completion_tokens: 9,
      stop: ["END"],
      seed: 4,
    });
    expect(server.requests[0]?.headers.authorization).toBe("Bearer sk-test-key-1234567");
  });

  it("omits tool_choice without tools", async () => {
    await using server = await serve({
      json: { choices: [{ message: { content: "x" }, finish_reason: "stop" }] },
    });
    await clientOf(server.url).generate({ ...request, tools: [], settings: { toolChoice: "required" } });
    expect(server.requests[0]?.body).not.toHaveProperty("tools");
    expect(server.requests[0]?.body).not.toHaveProperty("tool_choice");
  });

  it("streams text and interleaved calls with the original argument text", async () => {
    const sse = [
      chunk({ role: "assistant", content: "Let " }),
      chunk({ content: "me see." }),
      called(0, "", { id: "call_a", name: "find" }),
      called(1, "", { id: "call_b", name: "other" }),
      called(0, '{"text":"a",'),
      called(1, '{"n": 1'),
      called(0, '"limit":null}'),
      called(1, "2}"),
      chunk({}, "tool_calls"),
      usage,
      "[DONE]",
    ];
    await using server = await serve({ sse });
    const events = await collect(clientOf(server.url).stream(request));
    expect(events).toEqual([
      { kind: "text", text: "Let " },
      { kind: "text", text: "me see." },
      { kind: "call", id: "call_a", tool: "find" },
      { kind: "call", id: "call_b", tool: "other" },
      {
        kind: "reply",
        reply: {
          text: "Let me see.",
          calls: [
            {
              id: "call_a",
              tool: "find",
              input: '{"text":"a","limit":null}',
              index: 0,
              part: "/choices/0/message/tool_calls/0",
              finish: "complete",
              nulls: ["/limit"],
            },
            {
              id: "call_b",
              tool: "other",
              input: '{"n": 12}',
              index: 1,
              part: "/choices/0/message/tool_calls/1",
              finish: "complete",
            },
          ],
          usage: { inputTokens: 30, outputTokens: 9, cachedTokens: 20 },
          finish: "calls",
        },
      },
    ]);
    expect(server.requests[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it("marks a call cut off by the token limit as incomplete and does not complete it", async () => {
    const sse = [called(0, '{"text":"Os', { id: "call_a", name: "find" }), chunk({}, "length"), "[DONE]"];
    await using server = await serve({ sse });
    const reply = (await collect(clientOf(server.url).stream(request))).at(-1);
    expect(reply).toMatchObject({
      reply: { finish: "length", calls: [{ input: '{"text":"Os', finish: "incomplete" }] },
    });
  });

  it("emits text of a stream without a finish reason and reports model_unreadable", async () => {
    await using server = await serve({ sse: [chunk({ content: "Half an ans" }), "[DONE]"] });
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const event of clientOf(server.url).stream(request)) seen.push(event);
    })();
    await expect(reading).rejects.toMatchObject({ code: "model_unreadable", retryable: true });
    expect(seen).toEqual([{ kind: "text", text: "Half an ans" }]);
  });

  it("reports model_unreachable when the connection breaks during a stream", async () => {
    await using server = await serve({ sse: [chunk({ content: "Half an ans" })], then: "cut" });
    await expect(collect(clientOf(server.url).stream(request))).rejects.toMatchObject({
      code: "model_unreachable",
      retryable: true,
    });
  });

  it.each([[[]], [[chunk({ content: "Hi" })]]])(
    "reports the class of an error within a stream",
    async (before) => {
      const error = { error: { message: "The server had an error", type: "server_error", code: null } };
      await using server = await serve({ sse: [...before, error] });
      await expect(collect(clientOf(server.url).stream(request))).rejects.toMatchObject({
        code: "model_overloaded",
      });
    },
  );

  it.each([
    [{ text: "" }],
    [{ text: "{" }],
    [{ text: "<html>busy</html>", headers: { "content-type": "text/html" } }],
    [{ json: {} }],
    [{ json: { choices: [] } }],
    [{ json: { choices: [{ index: 0, finish_reason: "stop" }] } }],
    [{ json: [] }],
    [{ json: null }],
  ])("reports model_unreadable for the invalid body %o", async (answer) => {
    await using server = await serve(answer);
    await expect(clientOf(server.url).generate(request)).rejects.toMatchObject({ code: "model_unreadable" });
  });

  it("cancels a pending request", async () => {
    const controller = new AbortController();
    await using server = await wireServer({
      [path]: () => {
        controller.abort();
        return { then: "hang" };
      },
    });
    const asking = clientOf(server.url).generate(request, { signal: controller.signal });
    await expect(asking).rejects.toMatchObject({ code: "cancelled" });
    await server.requests[0]?.closed;
  });

  it("cancels a running stream", async () => {
    const controller = new AbortController();
    await using server = await serve({ sse: [chunk({ content: "Hi" })], then: "hang" });
    const reading = (async () => {
      for await (const _ of clientOf(server.url).stream(request, { signal: controller.signal }))
        controller.abort();
    })();
    await expect(reading).rejects.toMatchObject({ code: "cancelled" });
    await server.requests[0]?.closed;
  });

  it("closes the connection when the reader stops early", async () => {
    await using server = await serve({ sse: [chunk({ content: "Hi" })], then: "hang" });
    for await (const _ of clientOf(server.url).stream(request)) break;
    await server.requests[0]?.closed;
  });

  it("sends extra fields but does not let them replace its own", async () => {
    await using server = await serve({
      json: { choices: [{ message: { content: "x" }, finish_reason: "stop" }] },
    });
    const extra = { reasoning_effort: "low", model: "another", messages: [] };
    const model = openai("gpt-x", { api: "chat", apiKey: "k", baseUrl: `${server.url}/v1`, extra });
    await model.generate(request);
    expect(server.requests[0]?.body).toMatchObject({
      model: "gpt-x",
      reasoning_effort: "low",
      messages: [{}],
    });
  });

  it("uses custom headers, organization and fetch", async () => {
    await using server = await serve({
      json: { choices: [{ message: { content: "x" }, finish_reason: "stop" }] },
    });
    const fetched: unknown[] = [];
    const model = openai("gpt-x", {
      api: "chat",
      apiKey: "k",
      baseUrl: `${server.url}/v1`,
      organization: "org-1",
      headers: { "x-team": "blue" },
      fetch: (url, init) => {
        fetched.push(url);
        return fetch(url, init);
      },
    });
    await model.generate(request);
    expect(server.requests[0]?.headers).toMatchObject({ "openai-organization": "org-1", "x-team": "blue" });
    expect(fetched).toHaveLength(1);
  });

  it("uses a custom client", async () => {
    const asked: unknown[] = [];
    const create = async (...given: readonly unknown[]) => {
      asked.push(given);
      return { choices: [{ message: { content: "x" }, finish_reason: "stop" }] };
    };
    const client = { chat: { completions: { create } }, responses: { create } };
    expect(await openai("gpt-x", { api: "chat", client }).generate(request)).toMatchObject({ text: "x" });
    expect(asked).toMatchObject([[{ model: "gpt-x" }, { maxRetries: 0 }]]);
    const official: OpenAIClient = new OpenAI({ apiKey: "k" });
    expect(official).toBeDefined();
  });

  it("reports the variable of a missing key without sending a request", async () => {
    const before = process.env.OPENAI_API_KEY;
    delete process.env.OPENAI_API_KEY;
    try {
      await expect(openai("gpt-x").generate(request)).rejects.toThrow("set OPENAI_API_KEY");
    } finally {
      if (before !== undefined) process.env.OPENAI_API_KEY = before;
    }
  });
});
