import { agent, Haft } from "haft";
import { describe, expect, it } from "vitest";
import { cityTools as tools } from "../../test/kit/city-tools.ts";
import { type ScriptedResponse, wireServer } from "../../test/kit/wire-server.ts";
import type { Message } from "../types/message.ts";
import { anthropic } from "./anthropic.ts";
import { isClaude45OrLater } from "./dialects/anthropic/is-claude-45-or-later.ts";
import { toAnthropicMessages } from "./dialects/anthropic/to-anthropic-messages.ts";

const path = "/v1/messages";

const search = {
  type: "server_tool_use",
  id: "srvtoolu_1",
  name: "tool_search_tool_bm25",
  input: { query: "weather in a city" },
  caller: { type: "direct" },
};
const referring = (...names: readonly string[]) => ({
  type: "tool_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: {
    type: "tool_search_tool_search_result",
    tool_references: names.map((tool_name) => ({ type: "tool_reference", tool_name })),
  },
});
const found = referring("get_weather", "book_hotel");
const use = { type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Oslo" } };
const usage = { input_tokens: 10, output_tokens: 5 };
const body = (content: readonly unknown[], stop_reason: string) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-opus-5",
  content,
  stop_reason,
  usage,
});
const last = { type: "text", text: "Rain." };
const whole: readonly ScriptedResponse[] = [
  { json: body([search, found, use], "tool_use") },
  { json: body([last], "end_turn") },
];

const block = (index: number, begin: object, ...deltas: readonly object[]) => [
  { type: "content_block_start", index, content_block: begin },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
const json = (partial_json: string) => ({ type: "input_json_delta", partial_json });
const stream = (stop_reason: string, ...blocks: readonly object[]): ScriptedResponse => ({
  named: true,
  sse: [
    { type: "message_start", message: { ...body([], stop_reason), stop_reason: null } },
    ...blocks,
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ],
});
const streamed: readonly ScriptedResponse[] = [
  stream(
    "tool_use",
    ...block(0, { ...search, input: {} }, json('{"query": "weather '), json('in a city"}')),
    ...block(1, found),
    ...block(2, { ...use, input: {} }, json('{"city":"Oslo"}')),
  ),
  stream("end_turn", ...block(0, { type: "text", text: "" }, { type: "text_delta", text: "Rain." })),
];

const open = () => Haft.open({ tools, principal: { agent: "guide", allow: ["*"] } });
const guideOf = (url: string, model = "claude-opus-5", options = {}) =>
  agent({
    name: "guide",
    instructions: "Help.",
    tools: ["*"],
    toolSearch: { by: "provider", always: ["ask_person"] },
    model: anthropic(model, { apiKey: "sk-ant-test", baseUrl: url, ...options }),
  });

describe("Anthropic tool search", () => {
  it.each([
    ["whole", whole],
    ["streamed", streamed],
  ])("defers tools and sends search results back: %s", async (how, answers) => {
    await using server = await wireServer({ [path]: answers });
    await using haft = await open();
    const guide = guideOf(server.url);
    const question = "How is the weather in Oslo?";
    const response =
      how === "whole" ? await haft.run(guide, question) : await haft.stream(guide, question).response;
    expect(response).toMatchObject({ status: "done", content: "Rain." });
    expect(response.toolsUsed).toMatchObject([{ name: "get_weather", ok: true, result: "get_weather ran" }]);
    const [first, second] = server.requests.map(
      ({ body: sent }) =>
        sent as { readonly tools: readonly object[]; readonly messages: readonly unknown[] },
    );
    expect(first!.tools).toMatchObject([
      { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" },
      { name: "ask_person" },
      { name: "book_hotel", defer_loading: true, input_schema: { type: "object" } },
      { name: "get_weather", defer_loading: true },
    ]);
    expect(first!.tools[1]).not.toHaveProperty("defer_loading");
    expect(second!.tools).toEqual(first!.tools);
    expect(second!.messages.slice(1)).toEqual([
      { role: "assistant", content: [search, found, use] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "get_weather ran" }],
      },
    ]);
  });

  it("falls back to search by Haft for an unsupported model and emits one event", async () => {
    await using server = await wireServer({
      [path]: [{ json: body([{ ...use, input: {} }], "tool_use") }, { json: body([last], "end_turn") }],
    });
    await using haft = await open();
    const received: unknown[] = [];
    haft.on("tools.search-fallback", (event) => received.push(event));
    await haft.run(guideOf(server.url, "claude-3-5-haiku-latest"), "Weather?");
    const listed = server.requests.map(({ body: sent }) =>
      (sent as { readonly tools: readonly { readonly name: string }[] }).tools.map(({ name }) => name),
    );
    expect(listed[0]).toEqual(["ask_person", "load_tools", "search_tools"]);
    expect(listed[1]).toEqual(["ask_person", "load_tools", "search_tools", "get_weather"]);
    expect(received).toEqual([{ agentName: "guide", model: "anthropic/claude-3-5-haiku-latest" }]);
  });

  it("omits found tools that the request no longer has", () => {
    const echo = { wire: "anthropic", data: { blocks: [search, found, { type: "text", length: 2 }] } };
    const conversation: readonly Message[] = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Ok", echo },
    ];
    const listed = (deferred: boolean) => [
      { wireName: "get_weather", spec: tools[0]!.spec, ...(deferred ? { deferred: true as const } : {}) },
    ];
    const said = (deferred: boolean) =>
      toAnthropicMessages(conversation, listed(deferred)).messages[1]?.content;
    expect(said(true)).toEqual([search, referring("get_weather"), { type: "text", text: "Ok" }]);
    // The provider rejects search results without its search tool.
    expect(said(false)).toEqual([{ type: "text", text: "Ok" }]);
  });

  it.each([
    ["claude-sonnet-4-5-20250929", true],
    ["claude-opus-4-5", true],
    ["claude-opus-5", true],
    ["claude-haiku-4-5-20251001", true],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", true],
    ["claude-sonnet-4-20250514", false],
    ["claude-opus-4-1", false],
    ["claude-3-7-sonnet-latest", false],
    ["claude-2.1", false],
    ["another", false],
  ])("%s supports tool search: %s", (model, does) => {
    expect(isClaude45OrLater(model)).toBe(does);
    expect(anthropic(model, { apiKey: "k" }).searchesTools).toBe(does ? true : undefined);
    expect(anthropic(model, { apiKey: "k", toolSearch: !does }).searchesTools).toBe(does ? undefined : true);
  });
});
