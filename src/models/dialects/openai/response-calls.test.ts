import { expect, test } from "vitest";
import { collectCalls, readCalls } from "../read-calls.ts";

const item = (fields: object = {}) => ({
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "look",
  arguments: "",
  status: "in_progress",
  ...fields,
});
const added = (output_index: number, fields?: object) => ({
  type: "response.output_item.added",
  output_index,
  item: item(fields),
});
const delta = (output_index: number, text: string) => ({
  type: "response.function_call_arguments.delta",
  output_index,
  item_id: "fc_1",
  delta: text,
});
const done = (output_index: number, text: string) => ({
  type: "response.function_call_arguments.done",
  output_index,
  item_id: "fc_1",
  arguments: text,
});
const itemDone = (output_index: number, fields: object) => ({
  type: "response.output_item.done",
  output_index,
  item: item({ status: "completed", ...fields }),
});
const end = (...output: object[]) => ({
  type: "response.completed",
  response: { status: "completed", output },
});
const collect = (...events: unknown[]) =>
  collectCalls("openai-responses", events).map(({ id, tool, input, finish }) => [id, tool, input, finish]);

const text = '{"x":1}';
const found = [["call_1", "look", text, "complete"]];

test("reads arguments once that up to four events repeat", () => {
  const whole = { arguments: text };
  expect(
    collect(added(0), delta(0, '{"x"'), delta(0, ":1}"), done(0, text), itemDone(0, whole), end(item(whole))),
  ).toEqual(found);
  expect(collect(added(0), delta(0, '{"x"'), delta(0, ":1}"), end())).toEqual(found);
  expect(collect(added(0), done(0, text))).toEqual(found);
  expect(collect(itemDone(0, whole))).toEqual(found);
  expect(collect(end(item(whole)))).toEqual(found);
  expect(collect(added(0, whole), end())).toEqual(found);
});

test("keeps the text when a later snapshot is empty", () => {
  expect(collect(added(0), delta(0, text), done(0, ""), itemDone(0, { arguments: "" }), end())).toEqual(
    found,
  );
});

test("uses the latest ids without creating a second call", () => {
  const changed = { id: "fc_2", call_id: "call_2", arguments: text };
  expect(
    collect(
      added(0),
      delta(0, text),
      itemDone(0, changed),
      end(item({ call_id: "call_3", arguments: text })),
    ),
  ).toEqual([["call_2", "look", text, "complete"]]);
});

test("marks calls as incomplete that no event ended or that the response marks as incomplete", () => {
  expect(collect(added(0), delta(0, '{"x"'))).toEqual([["call_1", "look", '{"x"', "incomplete"]]);
  const cut = { type: "response.incomplete", response: { status: "incomplete", output: [] } };
  expect(collect(added(0), delta(0, '{"x"'), cut)).toEqual([["call_1", "look", '{"x"', "incomplete"]]);
  expect(collect(added(0), itemDone(0, { arguments: text, status: "incomplete" }), cut)).toEqual([
    ["call_1", "look", text, "incomplete"],
  ]);
  expect(collect(added(0), delta(0, text), { type: "response.failed", response: {} })).toEqual([
    ["call_1", "look", text, "incomplete"],
  ]);
});

test("returns functions, custom tools and remote MCP tools, the latter as provider-executed", () => {
  const output = [
    { type: "reasoning", summary: [{ type: "summary_text", text: "look({})" }] },
    item({ arguments: text }),
    { type: "custom_tool_call", call_id: "call_2", name: "shell", input: "ls -l" },
    { type: "mcp_call", id: "mcp_1", name: "roll", arguments: "{}", output: "4", server_label: "dice" },
    { type: "custom_tool_call", call_id: "xs_1", name: "x_keyword_search", input: '{"query":"x"}' },
  ];
  expect(readCalls("openai-responses", { status: "completed", output })).toEqual([
    { id: "call_1", tool: "look", input: text, index: 0, part: "/output/1", finish: "complete" },
    { id: "call_2", tool: "shell", input: "ls -l", index: 1, part: "/output/2", finish: "complete" },
    {
      id: "mcp_1",
      tool: "roll",
      input: "{}",
      index: 2,
      part: "/output/3",
      providerExecuted: true,
      finish: "complete",
    },
    {
      id: "xs_1",
      tool: "x_keyword_search",
      input: '{"query":"x"}',
      index: 3,
      part: "/output/4",
      providerExecuted: true,
      finish: "complete",
    },
  ]);
});

test("collects streamed custom and MCP calls like functions", () => {
  const custom = { type: "custom_tool_call", arguments: undefined, input: "" };
  expect(
    collect(
      added(0, custom),
      { type: "response.custom_tool_call_input.delta", output_index: 0, delta: "ls" },
      { type: "response.custom_tool_call_input.done", output_index: 0, input: "ls -l" },
      added(1, { type: "mcp_call", id: "mcp_1", call_id: undefined }),
      { type: "response.mcp_call_arguments.delta", output_index: 1, delta: "{}" },
      { type: "response.mcp_call_arguments.done", output_index: 1, arguments: "{}" },
      end(),
    ),
  ).toEqual([
    ["call_1", "look", "ls -l", "complete"],
    ["mcp_1", "look", "{}", "complete"],
  ]);
});

test("ignores provider tools and their results", () => {
  const types = [
    "web_search_call file_search_call code_interpreter_call image_generation_call computer_call",
    "shell_call local_shell_call apply_patch_call tool_search_call mcp_list_tools mcp_approval_request",
    "program function_call_output message reasoning",
  ].flatMap((line) => line.split(" "));
  const output = types.map((type) => ({ type, id: "i", call_id: "c", name: "look", arguments: "{}" }));
  expect(readCalls("openai-responses", { status: "completed", output })).toEqual([]);
  expect(
    collect(...output.map((each, index) => ({ ...itemDone(index, {}), item: each })), end(...output)),
  ).toEqual([]);
});

test("marks the last call as incomplete when tokens ran out", () => {
  const output = [item({ arguments: "{bad" }), item({ call_id: "call_2", arguments: '{"x"' })];
  const calls = readCalls("openai-responses", { status: "incomplete", output });
  expect(calls.map(({ finish }) => finish)).toEqual(["complete", "incomplete"]);
});

test("appends the calls of a second response", () => {
  const created = { type: "response.created", response: {} };
  const again = { call_id: "call_2", arguments: text };
  expect(
    collect(created, added(0), done(0, text), created, added(0, again), itemDone(0, again), end()),
  ).toEqual([
    ["call_1", "look", text, "complete"],
    ["call_2", "look", text, "complete"],
  ]);
});
