import { expect, test } from "vitest";
import { collectCalls, readCalls } from "../read-calls.ts";

const line = (message: object, more: object = { done: false }) => ({ model: "m", message, ...more });
const called = (name: string, input: unknown, more: object = {}) => ({
  ...more,
  function: { name, arguments: input },
});

test("returns argument objects as they are, string arguments as text, and generated ids when ids are missing", () => {
  const first = line({ role: "assistant", content: "", tool_calls: [called("look", { city: "Oslo" })] });
  const second = line({
    content: "",
    tool_calls: [called("time", {}, { id: "call_x" }), called("look", '{"a":1}')],
  });
  const end = line({ content: "" }, { done: true, done_reason: "stop" });
  const expected = [
    {
      id: "call-0",
      tool: "look",
      input: { city: "Oslo" },
      index: 0,
      part: "/message/tool_calls/0",
      finish: "complete",
    },
    { id: "call_x", tool: "time", input: {}, index: 1, part: "/message/tool_calls/1", finish: "complete" },
    {
      id: "call-2",
      tool: "look",
      input: '{"a":1}',
      index: 2,
      part: "/message/tool_calls/2",
      finish: "complete",
    },
  ];
  expect(collectCalls("ollama", [first, second, end])).toEqual(expected);
  expect(
    collectCalls("ollama", [first, second, end].map((each) => `${JSON.stringify(each)}\n`).join("")),
  ).toEqual([{ ...expected[0], input: '{"city":"Oslo"}' }, ...expected.slice(1)]);
  expect(readCalls("ollama", first)).toEqual(expected.slice(0, 1));
});

test("marks the last call before the token limit as incomplete unless text follows it", () => {
  const call = line({ content: "", tool_calls: [called("look", {})] });
  const cut = line({ content: "" }, { done: true, done_reason: "length" });
  const finishes = (...events: unknown[]) => collectCalls("ollama", events).map(({ finish }) => finish);
  expect(finishes(call, cut)).toEqual(["incomplete"]);
  expect(finishes(call, line({ content: "And so" }), cut)).toEqual(["complete"]);
});

test("finds no calls in generated text, thinking or replies without a message", () => {
  expect(readCalls("ollama", { response: '{"name":"look","arguments":{}}', done: true })).toEqual([]);
  expect(
    readCalls("ollama", line({ content: '{"name":"look"}', thinking: "call look", tool_calls: null })),
  ).toEqual([]);
});
