import { describe, expect, it, vi } from "vitest";
import { collect } from "../../test/kit/collect.ts";
import { type ScriptedResponse, wireServer } from "../../test/kit/wire-server.ts";
import { tool } from "../tools/tool.ts";
import type { Message } from "../types/message.ts";
import type { ModelRequest } from "../types/model.ts";
import { anthropic } from "./anthropic.ts";

const path = "/v1/messages";
const find = tool({
  name: "find",
  description: "Finds",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  run: () => "",
});
const request: ModelRequest = {
  messages: [{ role: "user", content: "Hi" }],
  tools: [{ wireName: "find", spec: find.spec }],
};

const thinking = { type: "thinking", thinking: "Hm. Let me think.", signature: "c2lnbmVk" };
const sealed = { type: "redacted_thinking", data: "c2VhbGVk" };
const text = { type: "text", text: "Let me see." };
const use = { type: "tool_use", id: "toolu_1", name: "find", input: { text: "a" } };
const after = { type: "thinking", thinking: "And then?", signature: "dHdv" };
const second = { ...use, id: "toolu_2", input: { text: "b" } };
const content = [thinking, sealed, text, use, after, second];
const usage = {
  input_tokens: 10,
  cache_creation_input_tokens: 5,
  cache_read_input_tokens: 20,
  output_tokens: 9,
};
const body = (blocks: readonly unknown[], stop_reason: string | null = "tool_use") => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-x",
  content: blocks,
  stop_reason,
  usage,
});

const start = {
  type: "message_start",
  message: { ...body([], null), usage: { ...usage, output_tokens: 1 } },
};
const block = (index: number, begin: object, ...deltas: readonly object[]) => [
  { type: "content_block_start", index, content_block: begin },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
const json = (partial_json: string) => ({ type: "input_json_delta", partial_json });
const end = (stop_reason: string) => [
  { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
];
const streamed = [
  start,
  { type: "ping" },
  ...block(
    0,
    { type: "thinking", thinking: "", signature: "" },
    { type: "thinking_delta", thinking: "Hm. " },
    { type: "thinking_delta", thinking: "Let me think." },
    { type: "signature_delta", signature: "c2lnbmVk" },
  ),
  ...block(1, sealed),
  ...block(
    2,
    { type: "text", text: "" },
    { type: "text_delta", text: "Let me " },
    { type: "text_delta", text: "see." },
  ),
  ...block(3, { ...use, input: {} }, json(""), json('{"text": '), json('"a"}')),
  ...block(
    4,
    { type: "thinking", thinking: "", signature: "" },
    { type: "thinking_delta", thinking: "And then?" },
    { type: "signature_delta", signature: "dHdv" },
  ),
  ...block(5, { ...second, input: {} }, json('{"text": "b"}')),
];

const serve = (answer: ScriptedResponse | readonly ScriptedResponse[]) => wireServer({ [path]: answer });
const clientOf = (url: string) => anthropic("claude-x", { apiKey: "sk-ant-test", baseUrl: url });

describe("Anthropic messages API", () => {
  it("returns the same reply whole and streamed with the original argument text", async () => {
    await using server = await serve([
      { json: body(content) },
      { sse: [...streamed, ...end("tool_use")], named: true },
    ]);
    const model = clientOf(server.url);
    const whole = await model.generate(request);
    const events = await collect(model.stream(request));
    const reply = events.at(-1);
    expect(whole).toMatchObject({
      text: "Let me see.",
      finish: "calls",
      usage: { inputTokens: 35, outputTokens: 9, cachedTokens: 20 },
      calls: [
        { id: "toolu_1", tool: "find", input: '{"text":"a"}', finish: "complete" },
        { id: "toolu_2", tool: "find", input: '{"text":"b"}', finish: "complete" },
      ],
    });
    const { calls, ...rest } = whole;
    expect(whole.reasoning).toBe("Hm. Let me think.\n\nAnd then?");
    expect(reply).toMatchObject({ kind: "reply", reply: rest });
    expect(reply).toMatchObject({
      reply: { calls: [{ input: '{"text": "a"}' }, { input: '{"text": "b"}' }] },
    });
    expect(events.slice(0, -1)).toEqual([
      { kind: "reasoning", text: "Hm. " },
      { kind: "reasoning", text: "Let me think." },
      { kind: "text", text: "Let me " },
      { kind: "text", text: "see." },
      { kind: "call", id: "toolu_1", tool: "find" },
      { kind: "reasoning", text: "\n\nAnd then?" },
      { kind: "call", id: "toolu_2", tool: "find" },
    ]);
  });

  it("sends signed thinking blocks back in place and all tool results in one message", async () => {
    await using server = await serve([
      { sse: [...streamed, ...end("tool_use")], named: true },
      { json: body([], "end_turn") },
    ]);
    const model = clientOf(server.url);
    const last = (await collect(model.stream(request))).at(-1);
    if (last?.kind !== "reply") throw new Error("no reply");
    const { text: said, calls, echo } = last.reply;
    const messages: Message[] = JSON.parse(
      JSON.stringify([
        { role: "system", content: "Be brief." },
        ...request.messages,
        { role: "assistant", content: said, calls, echo },
        { role: "tool", callId: "toolu_1", tool: "find", content: "found", ok: true },
        { role: "tool", callId: "toolu_2", tool: "find", content: "It broke.", ok: false },
      ]),
    );
    await model.generate({
      messages,
      tools: request.tools,
      settings: { toolChoice: "required", stop: ["END"], temperature: 0.5, topP: 1, seed: 3, maxTokens: 77 },
    });
    expect(server.requests[1]?.body).toEqual({
      model: "claude-x",
      stream: false,
      max_tokens: 77,
      system: "Be brief.",
      temperature: 0.5,
      top_p: 1,
      stop_sequences: ["END"],
      tool_choice: { type: "any" },
      tools: [{ name: "find", description: "Finds", input_schema: find.spec.input }],
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_1", content: "found" },
            { type: "tool_result", tool_use_id: "toolu_2", content: "It broke.", is_error: true },
          ],
        },
      ],
    });
  });

  it.each([
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "refusal"],
  ])("ends a stream stopped by %s with finish %s and an incomplete call", async (reason, finish) => {
    const sse = [start, ...block(0, { ...use, input: {} }, json('{"text": "Os')), ...end(reason)];
    await using server = await serve({ sse, named: true });
    expect((await collect(clientOf(server.url).stream(request))).at(-1)).toMatchObject({
      reply: { finish, calls: [{ input: '{"text": "Os', finish: "incomplete" }] },
    });
  });

  it("does not return provider-executed tools as calls to run and sends them back unchanged", async () => {
    const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } };
    const result = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
    const cited = {
      ...text,
      citations: [{ type: "web_search_result_location", encrypted_index: "c2VhbGVk" }],
    };
    await using server = await serve([
      { json: body([search, result, cited], "end_turn") },
      { json: body([], "end_turn") },
    ]);
    const model = clientOf(server.url);
    const { text: said, calls, echo, finish } = await model.generate(request);
    expect(finish).toBe("stop");
    expect(calls).toMatchObject([{ id: "srvtoolu_1", providerExecuted: true }]);
    const spoken: Message = {
      role: "assistant",
      content: said,
      calls,
      ...(echo === undefined ? {} : { echo }),
    };
    await model.generate({
      ...request,
      messages: [...request.messages, spoken, { role: "user", content: "Go on" }],
    });
    expect(server.requests[1]?.body).toMatchObject({
      messages: [
        { role: "user" },
        { role: "assistant", content: [search, result, cited] },
        { content: "Go on" },
      ],
    });
  });

  it("reports model_unreadable when a stream ends early", async () => {
    await using server = await serve({ sse: streamed, named: true });
    await expect(collect(clientOf(server.url).stream(request))).rejects.toMatchObject({
      code: "model_unreadable",
      retryable: true,
    });
  });

  it("reports model_unreachable when the connection breaks", async () => {
    await using server = await serve({ sse: streamed.slice(0, 10), named: true, then: "cut" });
    await expect(collect(clientOf(server.url).stream(request))).rejects.toMatchObject({
      code: "model_unreachable",
    });
  });

  it("reports the class of an error within a stream", async () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    await using server = await serve({ sse: [...streamed.slice(0, 10), error], named: true });
    await expect(collect(clientOf(server.url).stream(request))).rejects.toMatchObject({
      code: "model_overloaded",
    });
  });

  it("reports model_unreadable for an event that is not JSON and prints nothing", async () => {
    const printed = vi.spyOn(console, "error");
    await using server = await serve({
      text: "event: message_start\ndata: {broken\n\n",
      headers: { "content-type": "text/event-stream" },
    });
    await expect(collect(clientOf(server.url).stream(request))).rejects.toMatchObject({
      code: "model_unreadable",
    });
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
  });

  it.each([[{ text: "" }], [{ json: {} }], [{ json: body([text], null) }], [{ json: { content: "text" } }]])(
    "reports model_unreadable for the invalid body %o",
    async (answer) => {
      await using server = await serve(answer);
      await expect(clientOf(server.url).generate(request)).rejects.toMatchObject({
        code: "model_unreadable",
      });
    },
  );

  it("reports model_overloaded with retryAfterMs for status 529", async () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    await using server = await serve({ status: 529, headers: { "retry-after": "3" }, json: error });
    await expect(clientOf(server.url).generate(request)).rejects.toMatchObject({
      code: "model_overloaded",
      failure: { retryAfterMs: 3_000 },
    });
    expect(server.requests).toHaveLength(1);
  });

  it("cancels a pending request and a running stream", async () => {
    const waiting = new AbortController();
    await using first = await wireServer({
      [path]: () => {
        waiting.abort();
        return { then: "hang" };
      },
    });
    const asking = clientOf(first.url).generate(request, { signal: waiting.signal });
    await expect(asking).rejects.toMatchObject({ code: "cancelled" });

    const reading = new AbortController();
    await using later = await serve({ sse: streamed.slice(0, 12), named: true, then: "hang" });
    const read = (async () => {
      for await (const _ of clientOf(later.url).stream(request, { signal: reading.signal })) reading.abort();
    })();
    await expect(read).rejects.toMatchObject({ code: "cancelled" });
    await later.requests[0]?.closed;
  });

  it("sends a default max_tokens", async () => {
    await using server = await serve({ json: body([text], "end_turn") });
    await clientOf(server.url).generate(request);
    expect(server.requests[0]?.body).toMatchObject({ max_tokens: 8_192 });
  });
});
