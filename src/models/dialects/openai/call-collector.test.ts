import { expect, test } from "vitest";
import { collectCalls } from "../read-calls.ts";

const chunk = (delta: object, reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: reason }],
});
const calls = (...list: object[]) => chunk({ tool_calls: list });
const end = (reason = "tool_calls") => chunk({}, reason);
const collect = (...events: unknown[]) =>
  collectCalls("openai-chat", events).map(({ id, tool, input, finish }) => [id, tool, input, finish]);

test("ignores repeated, empty and null ids, names and indexes", () => {
  const again = { index: 0, id: "a", type: "function" };
  expect(
    collect(
      calls({ ...again, function: { name: "look", arguments: null } }),
      calls({ ...again, function: { name: "look", arguments: '{"x"' } }),
      calls({ index: 0, id: "", function: { name: "", arguments: ":1" } }),
      calls({ index: 0, id: null, function: { name: null, arguments: "}" } }),
      chunk({ tool_calls: null }),
      end(),
    ),
  ).toEqual([["a", "look", '{"x":1}', "complete"]]);
});

test("assigns chunks by index when the id changes with every chunk", () => {
  expect(
    collect(
      calls({ index: 0, id: "r1", function: { name: "look", arguments: "{" } }),
      calls({ index: 0, id: "r2", function: { arguments: "}" } }),
      end("stop"),
    ),
  ).toEqual([["r1", "look", "{}", "complete"]]);
});

test("separates parallel calls by id when their index is missing or always zero", () => {
  for (const place of [{}, { index: 0 }]) {
    expect(
      collect(
        calls({ ...place, id: "a", function: { name: "look", arguments: "{" } }),
        calls({ ...place, id: "b", function: { name: "look", arguments: '{"b":' } }),
        calls({ ...place, id: "a", function: { name: "look", arguments: "}" } }),
        calls({ ...place, id: "b", function: { arguments: "2}" } }),
        end(),
      ),
    ).toEqual([
      ["a", "look", "{}", "complete"],
      ["b", "look", '{"b":2}', "complete"],
    ]);
  }
});

test("separates calls of one chunk without ids and generates ids", () => {
  for (const place of [{}, { index: 0 }]) {
    expect(
      collect(
        calls(
          { ...place, id: "", function: { name: "look", arguments: '{"a":1}' } },
          { ...place, function: { name: "look", arguments: '{"b":2}' } },
        ),
        end(),
      ),
    ).toEqual([
      ["call-0", "look", '{"a":1}', "complete"],
      ["call-1", "look", '{"b":2}', "complete"],
    ]);
  }
});

test("separates two indexes with the same id", () => {
  expect(
    collect(
      calls({ index: 0, id: "a", function: { name: "look", arguments: "" } }),
      calls({ index: 1, id: "a", function: { name: "find", arguments: "" } }),
      calls({ index: 0, id: "a", function: { arguments: "{}" } }),
      calls({ index: 1, id: "a", function: { arguments: '{"q":1}' } }),
      end(),
    ),
  ).toEqual([
    ["a", "look", "{}", "complete"],
    ["a", "find", '{"q":1}', "complete"],
  ]);
});

test("appends a fragment that is valid JSON by itself", () => {
  const pieces = ['{"command":"before ', "{}", ' after"}'];
  const events = pieces.map((piece) => calls({ index: 0, function: { arguments: piece } }));
  expect(collect(calls({ index: 0, id: "a", function: { name: "run" } }), ...events, end())).toEqual([
    ["a", "run", '{"command":"before {} after"}', "complete"],
  ]);
});

test("uses an object delta as the value and marks the call as incomplete when more follows", () => {
  const value = { command: "ls" };
  const first = calls({ index: 0, id: "a", function: { name: "run", arguments: value } });
  expect(collect(first, end())).toEqual([["a", "run", value, "complete"]]);
  for (const more of [{ depth: 2 }, '{"depth":2}']) {
    const again = calls({ index: 0, function: { arguments: more } });
    expect(collect(first, again, end())).toEqual([["a", "run", value, "incomplete"]]);
  }
});

test("marks a call as incomplete when an object follows text", () => {
  const text = calls({ index: 0, id: "a", function: { name: "run", arguments: '{"a":1}' } });
  const more = calls({ index: 0, function: { arguments: { b: 2 } } });
  expect(collect(text, more, end())).toEqual([["a", "run", '{"a":1}', "incomplete"]]);
});

test("appends to a placeholder instead of starting a new call", () => {
  const again = (text: string) => calls({ index: 0, function: { name: "run", arguments: text } });
  expect(collect(again("{}"), again('{"a":1}'), end())).toEqual([["call-0", "run", '{}{"a":1}', "complete"]]);
});

test("completes calls when the reply finishes, and after a cut-off only those with complete text", () => {
  const first = calls({ index: 0, id: "a", function: { name: "look", arguments: '{"a":1}' } });
  const second = calls({ index: 1, id: "b", function: { name: "look", arguments: '{"b":' } });
  const finishes = (...events: unknown[]) => collect(...events).map(([, , , finish]) => finish);
  expect(finishes(first)).toEqual(["incomplete"]);
  expect(finishes(first, second, end("length"))).toEqual(["complete", "incomplete"]);
  expect(finishes(first, second, "data: [DONE]")).toEqual(["complete", "incomplete"]);
  const number = calls({ index: 0, id: "a", function: { name: "look", arguments: "12" } });
  expect(finishes(number, end("length"))).toEqual(["incomplete"]);
});

test("keeps empty arguments of a finished call", () => {
  expect(collect(calls({ index: 0, id: "a", function: { name: "look", arguments: "" } }), end())).toEqual([
    ["a", "look", "", "complete"],
  ]);
});

test("reads the legacy function_call field", () => {
  expect(
    collect(
      chunk({ function_call: { name: "look", arguments: "" } }),
      chunk({ function_call: { arguments: '{"a"' } }),
      chunk({ function_call: { arguments: ":1}" } }),
      end("function_call"),
    ),
  ).toEqual([["call-0", "look", '{"a":1}', "complete"]]);
});

test("reads the text of a custom tool call", () => {
  expect(
    collect(
      calls({ index: 0, id: "a", type: "custom", custom: { name: "shell", input: "" } }),
      calls({ index: 0, custom: { input: "ls -l" } }),
      end(),
    ),
  ).toEqual([["a", "shell", "ls -l", "complete"]]);
});

test("ignores a full message after its chunks and reads it without chunks", () => {
  const call = { index: 0, id: "a", function: { name: "look", arguments: "{}" } };
  const whole = { choices: [{ message: { tool_calls: [call] }, finish_reason: "stop" }] };
  const found = [["a", "look", "{}", "complete"]];
  expect(collect(calls(call), end(), whole)).toEqual(found);
  expect(collect(calls(call), whole)).toEqual(found);
  expect(collect(whole, whole)).toEqual(found);
});

test("appends the calls of a second message", () => {
  const call = (index: number, id: string) =>
    calls({ index, id, function: { name: "look", arguments: "{}" } });
  const order = collect(call(0, "a"), call(1, "b"), end(), call(0, "c"), call(1, "d"), end()).map(
    ([id]) => id,
  );
  expect(order).toEqual(["a", "b", "c", "d"]);
});

test("does not assign chunks to calls of an earlier message", () => {
  const call = (index: number, id: string) =>
    calls({ index, id, function: { name: "look", arguments: "{}" } });
  const stray = calls({ index: 1, function: { arguments: "," } });
  expect(collect(call(0, "a"), call(1, "b"), end(), call(0, "c"), stray, end())).toEqual([
    ["a", "look", "{}", "complete"],
    ["b", "look", "{}", "complete"],
    ["c", "look", "{}", "complete"],
  ]);
});

test("ignores other choices, text, reasoning and calls without a name", () => {
  expect(
    collect(
      { choices: [{ index: 1, delta: { tool_calls: [{ index: 0, id: "x", function: { name: "look" } }] } }] },
      chunk({ content: '<tool_call>{"name":"look"}</tool_call>', reasoning_content: "call look({})" }),
      calls({ index: 0, id: "nameless", function: { arguments: "{}" } }),
      end(),
    ),
  ).toEqual([]);
});
