import { expect, test } from "vitest";
import { collectCalls, readCalls } from "../read-calls.ts";

const event = (type: string, index: number, call: object) => ({
  type,
  index,
  delta: { message: { tool_calls: call } },
});
const start = (index: number, id: string, name: string) =>
  event("tool-call-start", index, { id, type: "function", function: { name, arguments: "" } });
const delta = (index: number, text: string) =>
  event("tool-call-delta", index, { function: { arguments: text } });
const stop = (index: number) => ({ type: "tool-call-end", index });
const end = (finish_reason: string) => ({ type: "message-end", delta: { finish_reason } });

test("returns calls of a reply with their argument text, including null", () => {
  const tool_calls = [
    { id: "a", type: "function", function: { name: "look", arguments: '{"city":"Oslo"}' } },
    { id: "b", type: "function", function: { name: "time", arguments: "null" } },
  ];
  const message = { tool_plan: "I will look({})", tool_calls };
  expect(readCalls("cohere", { message, finish_reason: "TOOL_CALL" })).toEqual([
    {
      id: "a",
      tool: "look",
      input: '{"city":"Oslo"}',
      index: 0,
      part: "/message/tool_calls/0",
      finish: "complete",
    },
    { id: "b", tool: "time", input: "null", index: 1, part: "/message/tool_calls/1", finish: "complete" },
  ]);
  expect(readCalls("cohere", { message, finish_reason: "MAX_TOKENS" }).at(-1)!.finish).toBe("incomplete");
});

test("collects streamed argument text between start and end", () => {
  const events = [
    { type: "message-start", delta: { message: { role: "assistant", tool_calls: [] } } },
    { type: "tool-plan-delta", delta: { message: { tool_plan: "look" } } },
    start(0, "a", "look"),
    delta(0, '{"city"'),
    delta(0, ':"Oslo"}'),
    stop(0),
    start(1, "b", "time"),
    stop(1),
    end("TOOL_CALL"),
  ];
  expect(collectCalls("cohere", events)).toEqual([
    {
      id: "a",
      tool: "look",
      input: '{"city":"Oslo"}',
      index: 0,
      part: "/message/tool_calls/0",
      finish: "complete",
    },
    { id: "b", tool: "time", input: "", index: 1, part: "/message/tool_calls/1", finish: "complete" },
  ]);
  const finishes = (...given: unknown[]) => collectCalls("cohere", given).map(({ finish }) => finish);
  expect(finishes(...events.slice(0, 5))).toEqual(["incomplete"]);
  expect(finishes(...events.slice(0, 4), stop(0), end("MAX_TOKENS"))).toEqual(["incomplete"]);
});
