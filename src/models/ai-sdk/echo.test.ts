import { expect, test } from "vitest";
import { collectStream } from "../../../test/kit/collect.ts";
import { fakeLanguageModel, type StreamPart } from "../../../test/kit/fake-language-model.ts";
import type { ModelRequest } from "../../types/model.ts";

const usage = { inputTokens: { total: 12 }, outputTokens: { total: 5 } };
const asking = { unified: "tool-calls", raw: "tool_use" };
const done = { unified: "stop", raw: "end_turn" };
const hello: ModelRequest = { messages: [{ role: "user", content: "Hi" }], tools: [] };
const oslo = { type: "tool-call", toolCallId: "c1", toolName: "get_weather", input: '{"city":"Oslo"}' };

const signature = { acme: { signature: "s1" } };
const thoughtful = [
  { type: "reasoning", text: "Hm.", providerMetadata: signature },
  { type: "tool-call", toolCallId: "p1", toolName: "search", input: "{}", providerExecuted: true },
  { type: "tool-result", toolCallId: "p1", toolName: "search", result: { hits: 1 } },
  { type: "text", text: "Looking." },
  oslo,
];

test("signed reasoning and provider-executed calls are sent back unchanged and only to the same provider", async () => {
  const { model, asked } = fakeLanguageModel({
    result: { content: thoughtful, finishReason: asking, usage },
  });
  const reply = await model.generate(hello);
  expect(reply.calls.map((call) => call.providerExecuted)).toStrictEqual([true, undefined]);
  const said = { role: "assistant", content: reply.text, calls: reply.calls, echo: reply.echo! } as const;
  const answer = { role: "tool", callId: "c1", tool: "get_weather", content: "21", ok: true } as const;
  await model.generate({ ...hello, messages: [...hello.messages, said, answer] });
  const prompt = asked[1]!.prompt as readonly StreamPart[];
  expect(prompt[1]).toStrictEqual({
    role: "assistant",
    content: [
      { type: "reasoning", text: "Hm.", providerOptions: signature },
      { type: "tool-call", toolCallId: "p1", toolName: "search", input: {}, providerExecuted: true },
      {
        type: "tool-result",
        toolCallId: "p1",
        toolName: "search",
        output: { type: "json", value: { hits: 1 } },
      },
      { type: "text", text: "Looking." },
      { type: "tool-call", toolCallId: "c1", toolName: "get_weather", input: { city: "Oslo" } },
    ],
  });
  const changed = { ...said, content: "Something else." };
  const foreign = { ...said, echo: { ...said.echo, wire: "ai-sdk:other" } };
  await model.generate({ ...hello, messages: [changed, answer] });
  await model.generate({ ...hello, messages: [foreign, answer] });
  const plain = ["text", "tool-call"];
  for (const { prompt } of asked.slice(2)) {
    const { content } = (prompt as { readonly content: readonly StreamPart[] }[])[0]!;
    expect(content.map(({ type }) => type)).toStrictEqual(plain);
  }
});

test("a signature at the end of a streamed block belongs to that block", async () => {
  const { model } = fakeLanguageModel({
    parts: [
      { type: "reasoning-start", id: "r" },
      { type: "reasoning-delta", id: "r", delta: "Hm." },
      { type: "reasoning-end", id: "r", providerMetadata: signature },
      { type: "text-start", id: "r" },
      { type: "text-delta", id: "r", delta: "Hi" },
      { type: "finish", finishReason: done, usage },
    ],
  });
  const { reply } = await collectStream(model.stream(hello));
  expect(reply).toMatchObject({ text: "Hi", finish: "stop" });
  expect(reply?.echo).toStrictEqual({
    wire: "ai-sdk:acme.chat",
    data: {
      content: [
        { type: "reasoning", text: "Hm.", providerOptions: signature },
        { type: "text", text: "Hi" },
      ],
    },
  });
});

test("generated files become parts and are sent back in place for every data format", async () => {
  const bytes = Buffer.from("a picture");
  const data = bytes.toString("base64");
  for (const made of [data, new Uint8Array(bytes), { type: "data", data }, { type: "data", data: bytes }]) {
    const content = [
      { type: "text", text: "Here:" },
      { type: "file", mediaType: "image/png", data: made },
      { type: "reasoning", text: "Nice." },
    ];
    const { model, asked } = fakeLanguageModel({ result: { content, finishReason: done, usage } });
    const reply = await model.generate(hello);
    expect(reply).toMatchObject({
      text: "Here:",
      reasoning: "Nice.",
      parts: [{ kind: "image", mediaType: "image/png", data }],
    });
    expect(JSON.stringify(reply.echo)).not.toContain(data);
    const said = { role: "assistant", content: "Here:", parts: reply.parts!, echo: reply.echo! } as const;
    await model.generate({ ...hello, messages: [...hello.messages, said] });
    expect((asked[1]!.prompt as readonly StreamPart[])[1]).toMatchObject({
      content: [{ type: "text" }, { type: "file", mediaType: "image/png" }, { type: "reasoning" }],
    });
    expect(JSON.stringify(asked[1]!.prompt)).toContain(data);
  }
});
