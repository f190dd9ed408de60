import { expect, test } from "vitest";
import { collectCalls, readCalls } from "./read-calls.ts";
import type { WireName } from "./wires.ts";

const called = { id: "c", function: { name: "t", arguments: "{}" } };

/** Replies in which other content precedes the call of tool `t`. */
const replies: Readonly<Partial<Record<WireName, object>>> = {
  "openai-chat": {
    choices: [
      { index: 1, message: { tool_calls: [called] } },
      { index: 0, message: { tool_calls: [{ id: "x" }, called] }, finish_reason: "tool_calls" },
    ],
  },
  "openai-responses": {
    status: "completed",
    output: [{ type: "reasoning" }, { type: "function_call", call_id: "c", name: "t", arguments: "{}" }],
  },
  anthropic: {
    content: [
      { type: "text", text: "So." },
      { type: "tool_use", id: "c", name: "t", input: {} },
    ],
    stop_reason: "tool_use",
  },
  gemini: {
    candidates: [
      { index: 1, content: { parts: [] } },
      {
        index: 0,
        content: { parts: [{ text: "So." }, { functionCall: { name: "t" } }] },
        finishReason: "STOP",
      },
    ],
  },
  "gemini-interactions": {
    status: "requires_action",
    steps: [{ type: "thought" }, { type: "function_call", id: "c", name: "t", arguments: {} }],
  },
  ollama: { message: { tool_calls: [{ function: {} }, called] }, done: true },
  bedrock: {
    output: {
      message: { content: [{ text: "So." }, { toolUse: { toolUseId: "c", name: "t", input: {} } }] },
    },
    stopReason: "tool_use",
  },
  cohere: { message: { tool_calls: [{ id: "x" }, called] }, finish_reason: "TOOL_CALL" },
};

const follow = (reply: unknown, pointer: string): unknown =>
  pointer
    .slice(1)
    .split("/")
    .reduce((at, key) => (at as Record<string, unknown>)[key], reply);

test.each(Object.entries(replies))("part points to the call in a reply of %s", (wire, reply) => {
  const [call] = readCalls(wire as WireName, reply);
  expect(call?.tool).toBe("t");
  expect(JSON.stringify(follow(reply, call!.part!))).toContain('"name":"t"');
});

test("two calls of a stream have different parts even with the same index", () => {
  const chunk = (id: string) => ({
    choices: [{ index: 0, delta: { tool_calls: [{ ...called, id, index: 0 }] }, finish_reason: null }],
  });
  const calls = collectCalls("openai-chat", [chunk("a"), chunk("b")]);
  expect(calls.map(({ part }) => part)).toEqual([
    "/choices/0/message/tool_calls/0",
    "/choices/0/message/tool_calls/1",
  ]);
});

test("calls in a stream of Ollama are numbered across lines", () => {
  const line = { message: { tool_calls: [called] }, done: false };
  expect(collectCalls("ollama", [line, line]).map(({ part }) => part)).toEqual([
    "/message/tool_calls/0",
    "/message/tool_calls/1",
  ]);
});
