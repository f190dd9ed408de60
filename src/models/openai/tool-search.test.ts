import { agent, Haft } from "haft";
import { describe, expect, it } from "vitest";
import { cityTools as tools } from "../../../test/kit/city-tools.ts";
import { type ScriptedResponse, wireServer } from "../../../test/kit/wire-server.ts";
import type { Message } from "../../types/message.ts";
import { canSearchTools, toResponsesInput } from "../dialects/openai/to-responses-input.ts";
import { openai } from "../openai.ts";

const path = "/v1/responses";

const search = {
  type: "tool_search_call",
  id: "tsc_1",
  call_id: null,
  execution: "server",
  status: "completed",
  arguments: { paths: ["get_weather"] },
};
const definition = (name: string) => ({
  type: "function",
  name,
  description: "…",
  parameters: { type: "object", properties: {} },
  strict: false,
  defer_loading: true,
});
const loading = (...names: readonly string[]) => ({
  type: "tool_search_output",
  id: "tso_1",
  call_id: null,
  execution: "server",
  status: "completed",
  tools: names.map(definition),
});
const loaded = loading("get_weather", "book_hotel");
const call = {
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "get_weather",
  arguments: '{"city":"Oslo"}',
  status: "completed",
};
const text = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Rain.", annotations: [] }],
};
const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
const response = (output: readonly unknown[]) => ({
  id: "resp_1",
  object: "response",
  status: "completed",
  output,
  usage,
});
const whole: readonly ScriptedResponse[] = [
  { json: response([search, loaded, call]) },
  { json: response([text]) },
];
const stream = (...items: readonly object[]): ScriptedResponse => ({
  named: true,
  sse: [
    { type: "response.created", response: { ...response([]), status: "in_progress" } },
    ...items.flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item: { ...item, status: "in_progress" } },
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: "response.completed", response: response(items) },
  ],
});
const streamed: readonly ScriptedResponse[] = [stream(search, loaded, call), stream(text)];

const guideOf = (url: string, model: string, options = {}) =>
  agent({
    name: "guide",
    instructions: "Help.",
    tools: ["*"],
    toolSearch: { by: "provider", always: ["ask_person"] },
    model: openai(model, { apiKey: "sk-test", baseUrl: `${url}/v1`, ...options }),
  });
const open = () => Haft.open({ tools, principal: { agent: "guide", allow: ["*"] } });

describe("OpenAI tool search", () => {
  it.each([
    ["whole", whole],
    ["streamed", streamed],
  ])("defers tools and sends search results back: %s", async (how, answers) => {
    await using server = await wireServer({ [path]: answers });
    await using haft = await open();
    const guide = guideOf(server.url, "gpt-5.4");
    const question = "How is the weather in Oslo?";
    const done =
      how === "whole" ? await haft.run(guide, question) : await haft.stream(guide, question).response;
    expect(done).toMatchObject({ status: "done", content: "Rain." });
    expect(done.toolsUsed).toMatchObject([{ name: "get_weather", ok: true }]);
    const [first, second] = server.requests.map(
      ({ body }) => body as { readonly tools: readonly object[]; readonly input: readonly unknown[] },
    );
    expect(first!.tools).toMatchObject([
      { type: "tool_search" },
      { type: "function", name: "ask_person" },
      { type: "function", name: "book_hotel", defer_loading: true, parameters: { type: "object" } },
      { type: "function", name: "get_weather", defer_loading: true },
    ]);
    expect(first!.tools[1]).not.toHaveProperty("defer_loading");
    expect(second!.tools).toEqual(first!.tools);
    expect(second!.input.slice(2)).toEqual([
      search,
      loaded,
      call,
      { type: "function_call_output", call_id: "call_1", output: "get_weather ran" },
    ]);
  });

  it("falls back to search by Haft for chat completions", async () => {
    const choice = { message: { content: "Rain." }, finish_reason: "stop" };
    await using server = await wireServer({ "/v1/chat/completions": { json: { choices: [choice] } } });
    await using haft = await open();
    const received: unknown[] = [];
    haft.on("tools.search-fallback", (event) => received.push(event));
    await haft.run(guideOf(server.url, "gpt-5.4", { api: "chat" }), "Weather?");
    expect(server.requests[0]?.body).toMatchObject({
      tools: [
        { function: { name: "ask_person" } },
        { function: { name: "load_tools" } },
        { function: { name: "search_tools" } },
      ],
    });
    expect(received).toEqual([{ agentName: "guide", model: "openai/gpt-5.4" }]);
  });

  it("omits found tools that the request no longer has", () => {
    const items = [search, loaded, { type: "message", role: "assistant", length: 2 }];
    const conversation: readonly Message[] = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Ok", echo: { wire: "openai-responses", data: { items } } },
    ];
    const said = (deferred: boolean) =>
      toResponsesInput(conversation, [
        { wireName: "get_weather", spec: tools[0]!.spec, ...(deferred ? { deferred: true as const } : {}) },
      ]).slice(1);
    expect(said(true)).toMatchObject([search, loading("get_weather"), { type: "message" }]);
    expect(said(false)).toMatchObject([{ type: "message" }]);
  });

  it.each([
    ["gpt-5.4", true],
    ["gpt-5.4-mini-2026-03-17", true],
    ["gpt-6", true],
    ["gpt-5.2", false],
    ["gpt-5", false],
    ["gpt-4.1", false],
    ["o3", false],
  ])("%s supports tool search: %s", (model, does) => {
    expect(canSearchTools(model)).toBe(does);
    expect(openai(model, { apiKey: "k" }).searchesTools).toBe(does ? true : undefined);
    expect(openai(model, { apiKey: "k", toolSearch: !does }).searchesTools).toBe(does ? undefined : true);
  });
});
