import { describe, expect, it, test } from "vitest";
import { collectCalls, readCalls } from "../read-calls.ts";
import type { WireName } from "../wires.ts";

const lossy = '{"id":9007199254740993,"a":1,"a":2,"tiny":1e-400}';

/** A reply with one call as sent by each vendor that sends argument objects. */
const bodies: Readonly<Partial<Record<WireName, (args: string) => string>>> = {
  anthropic: (args) =>
    `{"content":[{"type":"tool_use","id":"c","name":"t","input":${args}}],"stop_reason":"tool_use"}`,
  ollama: (args) =>
    `{"message":{"content":"","tool_calls":[{"id":"c","function":{"name":"t","arguments":${args}}}]},"done":true}`,
  gemini: (args) =>
    `{"candidates":[{"content":{"parts":[{"functionCall":{"id":"c","name":"t","args":${args}}}]},"finishReason":"STOP"}]}`,
  "gemini-interactions": (args) =>
    `{"steps":[{"type":"function_call","id":"c","name":"t","arguments":${args}}],"status":"requires_action"}`,
  bedrock: (args) =>
    `{"output":{"message":{"content":[{"toolUse":{"toolUseId":"c","name":"t","input":${args}}}]}},"stopReason":"tool_use"}`,
};

describe.each(Object.entries(bodies))("%s reply as text", (wire, body) => {
  it("returns the exact text of the arguments", () => {
    expect(readCalls(wire as WireName, body(lossy))).toMatchObject([
      { tool: "t", input: lossy, finish: "complete" },
    ]);
  });

  it("is rejected when an object around the arguments has a repeated key", () => {
    const text = body(lossy).replace('"name":"t"', '"name":"a","name":"t"');
    expect(() => readCalls(wire as WireName, text)).toThrow('has the key "name" twice');
  });

  it("returns parsed arguments with an integer beyond 2^53-1 as text, which hydrate rejects", () => {
    const parsed: unknown = JSON.parse(body('{"id":9007199254740993,"n":1}'));
    expect(readCalls(wire as WireName, parsed)).toMatchObject([{ input: '{"id":9007199254740992,"n":1}' }]);
  });
});

test.each(["anthropic", "ollama", "gemini", "bedrock"] as const)(
  "marks complete arguments of %s as incomplete when the reply was cut off",
  (wire) => {
    const text = bodies[wire]!('{"a":1}')
      .replace('"stop_reason":"tool_use"', '"stop_reason":"max_tokens"')
      .replace('"done":true', '"done":true,"done_reason":"length"')
      .replace('"finishReason":"STOP"', '"finishReason":"MAX_TOKENS"')
      .replace('"stopReason":"tool_use"', '"stopReason":"max_tokens"');
    expect(readCalls(wire, text)).toMatchObject([{ input: '{"a":1}', finish: "incomplete" }]);
  },
);

test("keeps the argument text of block starts, chunks and lines", () => {
  const start = `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"t","input":${lossy}}}`;
  const stop = '{"type":"content_block_stop","index":0}';
  expect(collectCalls("anthropic", `data: ${start}\n\ndata: ${stop}\n\n`)).toMatchObject([{ input: lossy }]);
  expect(collectCalls("gemini", `data: ${bodies.gemini!(lossy)}\n\n`)).toMatchObject([{ input: lossy }]);
  expect(collectCalls("ollama", `${bodies.ollama!(lossy)}\n`)).toMatchObject([{ input: lossy }]);
});

test("marks arguments sent in parts as incomplete when a number would change", () => {
  const part = (value: string, more: string) =>
    `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"t","partialArgs":[{"jsonPath":"$.n","numberValue":${value}}]${more}}}]},"finishReason":"STOP"}]}`;
  expect(readCalls("gemini", part("7", ""))).toMatchObject([{ input: { n: 7 }, finish: "complete" }]);
  expect(readCalls("gemini", part("1e-400", ""))).toMatchObject([{ finish: "incomplete" }]);
  expect(readCalls("gemini", part("9007199254740993", ""))).toMatchObject([{ finish: "incomplete" }]);
});
