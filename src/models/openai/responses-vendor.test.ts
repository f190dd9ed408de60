import { describe, expect, it } from "vitest";
import { collect } from "../../../test/kit/collect.ts";
import { type ScriptedResponse, wireServer } from "../../../test/kit/wire-server.ts";
import { tool } from "../../tools/tool.ts";
import type { Message } from "../../types/message.ts";
import type { ModelRequest } from "../../types/model.ts";
import { type OpenAIOptions, openai } from "../openai.ts";

const path = "/v1/responses";
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

const thought = {
  type: "reasoning",
  id: "rs_1",
  summary: [],
  encrypted_content: "gAAAA-sealed",
  status: "completed",
};
const message = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  phase: "commentary",
  content: [{ type: "output_text", text: "Let me see.", annotations: [] }],
};
const call = {
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "find",
  arguments: '{"text":"a", "limit":null}',
  status: "completed",
};
const usage = {
  input_tokens: 30,
  input_tokens_details: { cached_tokens: 20 },
  output_tokens: 9,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 39,
};
const response = (output: readonly unknown[], more: object = {}) => ({
  id: "resp_1",
  object: "response",
  status: "completed",
  output,
  usage,
  ...more,
});

const begun = (item: object, output_index: number) => ({
  type: "response.output_item.added",
  output_index,
  item,
});
const done = (item: object, output_index: number) => ({
  type: "response.output_item.done",
  output_index,
  item,
});
const streamed = [
  { type: "response.created", response: response([], { status: "in_progress", usage: null }) },
  begun({ ...thought, encrypted_content: "" }, 0),
  done(thought, 0),
  begun({ ...message, content: [] }, 1),
  {
    type: "response.output_text.delta",
    item_id: "msg_1",
    output_index: 1,
    content_index: 0,
    delta: "Let me ",
  },
  { type: "response.output_text.delta", item_id: "msg_1", output_index: 1, content_index: 0, delta: "see." },
  done(message, 1),
  begun({ ...call, arguments: "" }, 2),
  {
    type: "response.function_call_arguments.delta",
    item_id: "fc_1",
    output_index: 2,
    delta: '{"text":"a", ',
  },
  {
    type: "response.function_call_arguments.delta",
    item_id: "fc_1",
    output_index: 2,
    delta: '"limit":null}',
  },
  {
    type: "response.function_call_arguments.done",
    item_id: "fc_1",
    output_index: 2,
    arguments: call.arguments,
  },
  done(call, 2),
];
const completed = { type: "response.completed", response: response([thought, message, call]) };

const serve = (answer: ScriptedResponse | readonly ScriptedResponse[]) => wireServer({ [path]: answer });
const clientOf = (url: string) => openai("gpt-x", { apiKey: "sk-test", baseUrl: `${url}/v1` });

describe("OpenAI responses API", () => {
  it("returns the same reply whole and streamed", async () => {
    await using server = await serve([
      { json: response([thought, message, call]) },
      { sse: [...streamed, completed], named: true },
    ]);
    const model = clientOf(server.url);
    const whole = await model.generate(request);
    const events = await collect(model.stream(request));
    expect(whole).toMatchObject({
      text: "Let me see.",
      finish: "calls",
      usage: { inputTokens: 30, outputTokens: 9, cachedTokens: 20 },
      calls: [
        {
          id: "call_1",
          tool: "find",
          input: '{"text":"a", "limit":null}',
          finish: "complete",
          nulls: ["/limit"],
        },
      ],
    });
    expect(events.at(-1)).toEqual({ kind: "reply", reply: whole });
    expect(events.slice(0, -1)).toEqual([
      { kind: "text", text: "Let me " },
      { kind: "text", text: "see." },
      { kind: "call", id: "call_1", tool: "find" },
    ]);
  });

  it("sends encrypted reasoning back in place with store set to false", async () => {
    await using server = await serve([{ json: response([thought, message, call]) }, { json: response([]) }]);
    const model = clientOf(server.url);
    const { text: content, calls, echo } = await model.generate(request);
    const messages: Message[] = JSON.parse(
      JSON.stringify([
        { role: "system", content: "Be brief." },
        ...request.messages,
        { role: "assistant", content, calls, echo },
        { role: "tool", callId: "call_1", tool: "find", content: "found", ok: true },
      ]),
    );
    await model.generate({ ...request, messages, settings: { toolChoice: "auto", maxTokens: 50 } });
    expect(server.requests[1]?.body).toMatchObject({
      store: false,
      tool_choice: "auto",
      max_output_tokens: 50,
      tools: [{ type: "function", name: "find", strict: true }],
      input: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
        thought,
        message,
        { type: "function_call", id: "fc_1", call_id: "call_1", name: "find", arguments: call.arguments },
        { type: "function_call_output", call_id: "call_1", output: "found" },
      ],
    });
  });

  it("omits reasoning of another wire format or of a changed message", async () => {
    await using server = await serve({ json: response([]) });
    const model = clientOf(server.url);
    const echo = {
      wire: "openai-responses",
      data: { items: [thought, { type: "message", id: "m", length: 11 }] },
    };
    const said = { role: "assistant", content: "Let me see." } as const;
    for (const [index, spoken] of [
      { ...said, echo: { ...echo, wire: "anthropic" } },
      { ...said, content: "Something else.", echo },
      { ...said, calls: [{ id: "c", tool: "find", input: "{}" }], echo },
    ].entries()) {
      await model.generate({ ...request, messages: [...request.messages, spoken] });
      expect(JSON.stringify(server.requests[index]?.body)).not.toContain("gAAAA-sealed");
    }
    await model.generate({ ...request, messages: [...request.messages, { ...said, echo }] });
    expect(JSON.stringify(server.requests[3]?.body)).toContain("gAAAA-sealed");
  });

  it("keeps no echo of reasoning without encrypted content", async () => {
    const { encrypted_content: _, ...empty } = thought;
    const { phase: __, ...plain } = message;
    await using server = await serve({ json: response([empty, plain, call]) });
    expect(await clientOf(server.url).generate(request)).not.toHaveProperty("echo");
  });

  it.each([
    ["max_output_tokens", "length"],
    ["content_filter", "filter"],
  ])("ends a reply cut off by %s with finish %s and an incomplete call", async (reason, finish) => {
    const cut = { ...call, arguments: '{"text":"Os', status: "incomplete" };
    const ended = response([cut], { status: "incomplete", incomplete_details: { reason } });
    const sse = [
      begun({ ...call, arguments: "" }, 0),
      {
        type: "response.function_call_arguments.delta",
        item_id: "fc_1",
        output_index: 0,
        delta: '{"text":"Os',
      },
      done(cut, 0),
      { type: "response.incomplete", response: ended },
    ];
    await using server = await serve([{ json: ended }, { sse, named: true }]);
    const model = clientOf(server.url);
    const expected = { finish, calls: [{ input: '{"text":"Os', finish: "incomplete" }] };
    expect(await model.generate(request)).toMatchObject(expected);
    expect((await collect(model.stream(request))).at(-1)).toMatchObject({ reply: expected });
  });

  it("reports model_unreadable when a stream ends early", async () => {
    await using server = await serve({ sse: streamed, named: true });
    await expect(collect(clientOf(server.url).stream(request))).rejects.toMatchObject({
      code: "model_unreadable",
    });
  });

  it("reports model_unreachable when the connection breaks", async () => {
    await using server = await serve({ sse: streamed.slice(0, 6), named: true, then: "cut" });
    await expect(collect(clientOf(server.url).stream(request))).rejects.toMatchObject({
      code: "model_unreachable",
    });
  });

  it.each([
    ["server_error", "model_overloaded"],
    ["rate_limit_exceeded", "model_rate_limited"],
    ["invalid_prompt", "model_bad_request"],
    ["bio_policy", "model_bad_request"],
  ])("reports a response that failed with %s as %s", async (code, expected) => {
    const failed = response([], { status: "failed", error: { code, message: "It did not work." } });
    const sse = [{ type: "response.failed", response: failed }];
    await using server = await serve([{ json: failed }, { sse, named: true }]);
    const model = clientOf(server.url);
    await expect(model.generate(request)).rejects.toMatchObject({ code: expected });
    await expect(collect(model.stream(request))).rejects.toMatchObject({ code: expected });
  });

  it.each([
    [{ json: {} }],
    [{ json: response([], { status: "in_progress" }) }],
    [{ json: { status: "completed" } }],
  ])("reports model_unreadable for the unfinished response %o", async (answer) => {
    await using server = await serve(answer);
    await expect(clientOf(server.url).generate(request)).rejects.toMatchObject({ code: "model_unreadable" });
  });

  it("cancels a running stream", async () => {
    const controller = new AbortController();
    await using server = await serve({ sse: streamed.slice(0, 6), named: true, then: "hang" });
    const reading = (async () => {
      for await (const _ of clientOf(server.url).stream(request, { signal: controller.signal }))
        controller.abort();
    })();
    await expect(reading).rejects.toMatchObject({ code: "cancelled" });
    await server.requests[0]?.closed;
  });

  it("suggests the chat API when the server has no responses API, unless the API was configured", async () => {
    const none = { status: 404, json: { error: { message: "Not Found" } } };
    await using server = await serve(none);
    const hint = 'openai("…", { api: "chat" })';
    const failing = (options: OpenAIOptions) =>
      openai("gpt-x", { apiKey: "sk-test-key-1234567", baseUrl: `${server.url}/v1`, ...options })
        .generate(request)
        .catch((error: Error) => error.message);
    expect(await failing({})).toContain(hint);
    expect(await failing({ api: "responses" })).not.toContain(hint);
    await expect(collect(clientOf(server.url).stream(request))).rejects.toThrow(hint);
  });
});
