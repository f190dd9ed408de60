import type { LLMock } from "@copilotkit/aimock";
import { agent, Haft, type Model, ModelError, tool } from "haft";
import { validateConversation } from "haft/agent";
import { anthropic } from "haft/models/anthropic";
import { gemini } from "haft/models/gemini";
import { ollama } from "haft/models/ollama";
import { openai } from "haft/models/openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mockPrompts, providerMock } from "./kit/provider-mock.ts";
import { wireServer } from "./kit/wire-server.ts";

type Client = ReturnType<typeof openai>;
type Open = (origin: string) => Client;
const apiKey = "sk-test-key-1234567";

const clients: readonly (readonly [name: string, open: Open, finishReason: string])[] = [
  [
    "openai (chat)",
    (origin) => openai("gpt-x", { apiKey, baseUrl: `${origin}/v1`, api: "chat" }),
    "tool_calls",
  ],
  ["openai (responses)", (origin) => openai("gpt-x", { apiKey, baseUrl: `${origin}/v1` }), "tool_calls"],
  ["anthropic", (origin) => anthropic("claude-x", { apiKey, baseUrl: origin }), "tool_calls"],
  ["ollama", (host) => ollama("llama3.2", { host }), "tool_calls"],
  ["gemini", (baseUrl) => gemini("gemini-3-flash", { apiKey, baseUrl }), "stop"],
];

const weather = tool({
  name: "get_weather",
  description: "Weather of a city",
  input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  annotations: { readOnly: true },
  run: () => 21,
});

const time = tool({
  name: "get_time",
  description: "Time in a zone",
  input: { type: "object", properties: { zone: { type: "string" } }, required: ["zone"] },
  annotations: { readOnly: true },
  run: () => {
    throw new Error("the clock does not advance");
  },
});

const clock = (model: Model) =>
  agent({ name: "clock", instructions: "Be brief.", model, tools: [weather, time] });

describe.each(clients)("a whole run over %s", (_, open, finishReason) => {
  let mock: LLMock;
  let haft: Haft;
  let model: Client;
  beforeAll(async () => {
    mock = await providerMock(finishReason);
    model = open(mock.url);
    haft = await Haft.open({ principal: { agent: "tester", allow: ["*"] } });
  });
  afterAll(() => Promise.all([mock.stop(), haft.close()]));

  it("answers two parallel calls, one of which fails, and returns the final text", async () => {
    const response = await haft.run(clock(model), mockPrompts.calls);
    expect(response).toMatchObject({ status: "done", content: "It is 21 degrees at noon.", turns: 2 });
    expect(response.toolsUsed).toMatchObject([
      { name: "get_weather", arguments: { city: "Oslo" }, ok: true, result: 21 },
      {
        name: "get_time",
        arguments: { zone: "CET" },
        ok: false,
        error: expect.stringContaining("does not advance"),
      },
    ]);
    expect(validateConversation(response.context)).toEqual([]);
  });

  it("hydrates every call of a reply by toolCall and runs none of them", async () => {
    const results = await model.toolCall([{ role: "user", content: mockPrompts.calls }], [weather, time]);
    expect(results).toMatchObject([
      { success: true, provenance: { tool: "get_weather", validated: { city: "Oslo" } } },
      { success: true, provenance: { tool: "get_time", validated: { zone: "CET" } } },
    ]);
  });

  it("does the same when it is streamed, and continues the conversation", async () => {
    const stream = haft.stream(clock(model), mockPrompts.calls);
    let text = "";
    const ended: boolean[] = [];
    for await (const event of stream) {
      if (event.kind === "text") text += event.text;
      if (event.kind === "call-end") ended.push(event.ok);
    }
    const response = await stream.response;
    expect(text).toBe("Looking.It is 21 degrees at noon.");
    expect(ended.toSorted()).toEqual([false, true]);
    const again = await haft.run(clock(model), mockPrompts.calls, { context: response.context });
    expect(again.status).toBe("done");
    expect(validateConversation(again.context)).toEqual([]);
  });

  it.each([
    [mockPrompts.broken, "model_overloaded", 3],
    [mockPrompts.gone, "model_unreachable", 3],
    [mockPrompts.malformed, "model_unreadable", 3],
    [mockPrompts.refused, "model_unauthorized", 1],
  ] as const)(
    "for the prompt %s, fails with %s after as many attempts as can help",
    async (what, code, tries) => {
      const before = mock.getRequests().length;
      const error = await haft.run(clock(model), what).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ModelError);
      expect(error).toMatchObject({ code, response: { status: "failed", turns: 0 } });
      expect(mock.getRequests().length - before).toBe(tries);
    },
  );

  it("never accepts a stream that broke in the middle as an answer", async () => {
    const stream = haft.stream(clock(model), mockPrompts.cut);
    await expect(stream.response).rejects.toMatchObject({ retryable: true });
  });
});

describe.each(clients)("%s and a server that requests a pause", (_, open) => {
  it("does not wait for a pause that is too long, and reports its length", async () => {
    const busy = { status: 429, headers: { "retry-after": "3600" }, json: { error: { message: "busy" } } };
    await using server = await wireServer({ "*": busy });
    const haft = await Haft.open({ principal: { agent: "tester", allow: ["*"] } });
    const error = await haft.run(clock(open(server.url)), "Hi").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "model_rate_limited", failure: { retryAfterMs: 3_600_000 } });
    expect(server.requests).toHaveLength(1);
    await haft.close();
  });
});
