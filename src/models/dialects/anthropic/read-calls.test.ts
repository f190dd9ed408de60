import { expect, test } from "vitest";
import { collectCalls, readCalls } from "../read-calls.ts";

const start = (index: number, block: object) => ({
  type: "content_block_start",
  index,
  content_block: { type: "tool_use", id: "t1", name: "look", input: {}, ...block },
});
const delta = (index: number, partial_json: unknown) => ({
  type: "content_block_delta",
  index,
  delta: { type: "input_json_delta", partial_json },
});
const stop = (index: number) => ({ type: "content_block_stop", index });
const finish = (stop_reason: string) => ({ type: "message_delta", delta: { stop_reason } });
const message = { type: "message_start", message: { content: [] } };
const collect = (...events: unknown[]) =>
  collectCalls("anthropic", events).map(({ id, tool, input, finish }) => [id, tool, input, finish]);

test("keeps the exact text of a streamed block", () => {
  expect(
    collect(
      message,
      start(0, {}),
      delta(0, ""),
      delta(0, '{"x" :'),
      delta(0, " 1}"),
      stop(0),
      finish("tool_use"),
    ),
  ).toEqual([["t1", "look", '{"x" : 1}', "complete"]]);
});

test("uses the initial input of a block that receives no text", () => {
  const input = { player: "one" };
  expect(collect(message, start(0, { input }), stop(0))).toEqual([["t1", "look", input, "complete"]]);
  expect(collect(message, start(0, {}), delta(0, ""), stop(0))).toEqual([["t1", "look", {}, "complete"]]);
  expect(collect(message, start(0, { input }), delta(0, '{"a":1}'), stop(0))).toEqual([
    ["t1", "look", '{"a":1}', "complete"],
  ]);
});

test("uses a delta that is an object as the input", () => {
  expect(collect(message, start(0, {}), delta(0, { x: 1 }), stop(0))).toEqual([
    ["t1", "look", { x: 1 }, "complete"],
  ]);
});

test("restarts block indexes with each message and leaves unfinished calls incomplete", () => {
  expect(
    collect(
      message,
      start(0, {}),
      delta(0, '{"a"'),
      message,
      start(0, { type: "text" }),
      start(1, { id: "t2" }),
      delta(1, '{"b":2}'),
      stop(0),
      stop(1),
      finish("tool_use"),
    ),
  ).toEqual([
    ["t1", "look", '{"a"', "incomplete"],
    ["t2", "look", '{"b":2}', "complete"],
  ]);
});

test("ignores deltas for a block that replaced an open call", () => {
  const open = [message, start(0, {}), delta(0, '{"a"')];
  const incomplete = [["t1", "look", '{"a"', "incomplete"]];
  expect(collect(...open, start(0, { type: "text" }), delta(0, ":1}"), stop(0))).toEqual(incomplete);
  expect(collect(...open, message, delta(0, ":1}"), stop(0))).toEqual(incomplete);
});

test("marks a closed call as incomplete when tokens ran out within it", () => {
  const cut = [stop(0), finish("max_tokens")];
  expect(collect(message, start(0, {}), delta(0, '{"a":"b'), ...cut)).toEqual([
    ["t1", "look", '{"a":"b', "incomplete"],
  ]);
  expect(collect(message, start(0, {}), ...cut)).toEqual([["t1", "look", "", "incomplete"]]);
  expect(collect(message, start(0, {}), delta(0, '{"a":1}'), ...cut)).toEqual([
    ["t1", "look", '{"a":1}', "complete"],
  ]);
  const text = start(1, { type: "text", text: "" });
  expect(
    collect(message, start(0, {}), delta(0, "{bad"), stop(0), text, stop(1), finish("max_tokens")),
  ).toEqual([["t1", "look", "{bad", "complete"]]);
});

test("returns calls of a body with their input objects and marks provider-executed ones", () => {
  const input = { q: 1 };
  const content = [
    { type: "thinking", thinking: "call look", signature: "s" },
    { type: "redacted_thinking", data: "…" },
    { type: "server_tool_use", id: "s1", name: "web_search", input },
    { type: "web_search_tool_result", tool_use_id: "s1", content: [] },
    { type: "mcp_tool_use", id: "m1", name: "roll", server_name: "dice", input: {} },
    { type: "mcp_tool_result", tool_use_id: "m1", content: [] },
    { type: "tool_use", id: "t1", name: "look", input },
  ];
  const calls = readCalls("anthropic", { content, stop_reason: "tool_use" });
  expect(calls).toEqual([
    {
      id: "s1",
      tool: "web_search",
      input,
      index: 0,
      part: "/content/2",
      providerExecuted: true,
      finish: "complete",
    },
    {
      id: "m1",
      tool: "roll",
      input: {},
      index: 1,
      part: "/content/4",
      providerExecuted: true,
      finish: "complete",
    },
    { id: "t1", tool: "look", input, index: 2, part: "/content/6", finish: "complete" },
  ]);
  expect(calls[2]!.input).toBe(input);
});

test("marks the last call of a body as incomplete when tokens ran out", () => {
  const content = [
    { type: "tool_use", id: "t1", name: "look", input: {} },
    { type: "tool_use", id: "t2", name: "look", input: { a: 1 } },
  ];
  const finishes = (body: object) => readCalls("anthropic", body).map(({ finish }) => finish);
  expect(finishes({ content, stop_reason: "max_tokens" })).toEqual(["complete", "incomplete"]);
  const after = [...content, { type: "text", text: "…" }];
  expect(finishes({ content: after, stop_reason: "max_tokens" })).toEqual(["complete", "complete"]);
});
