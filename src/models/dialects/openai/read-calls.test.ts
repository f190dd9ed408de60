import { expect, test } from "vitest";
import { readCalls } from "../read-calls.ts";

const reply = (message: object, finish_reason = "tool_calls") => ({
  choices: [{ index: 0, message, finish_reason }],
});
const read = (body: unknown) =>
  readCalls("openai-chat", body).map(({ id, tool, input, finish }) => [id, tool, input, finish]);

test("returns arguments as text, object, null or empty as they were sent", () => {
  const call = (id: string, called: object) => ({
    id,
    type: "function",
    function: { name: "look", ...called },
  });
  const message = {
    content: null,
    tool_calls: [
      call("a", { arguments: '{"x": 1.0}' }),
      call("b", { arguments: { x: 1 } }),
      call("c", { arguments: null }),
      call("d", {}),
    ],
  };
  expect(read(reply(message))).toEqual([
    ["a", "look", '{"x": 1.0}', "complete"],
    ["b", "look", { x: 1 }, "complete"],
    ["c", "look", null, "complete"],
    ["d", "look", "", "complete"],
  ]);
});

test("reads the legacy function_call field and custom tools", () => {
  expect(read(reply({ function_call: { name: "look", arguments: "{}" } }, "function_call"))).toEqual([
    ["call-0", "look", "{}", "complete"],
  ]);
  expect(
    read(reply({ tool_calls: [{ id: "a", type: "custom", custom: { name: "sh", input: "ls" } }] })),
  ).toEqual([["a", "sh", "ls", "complete"]]);
});

test("marks only the last call as incomplete when tokens ran out", () => {
  const message = {
    tool_calls: [
      { id: "a", function: { name: "look", arguments: "{bad" } },
      { id: "b", function: { name: "look", arguments: '{"x":' } },
    ],
  };
  expect(read(reply(message, "length")).map(([, , , finish]) => finish)).toEqual(["complete", "incomplete"]);
});

test("reads a second choice without an index but ignores alternatives", () => {
  const message = { tool_calls: [{ id: "a", function: { name: "look", arguments: "{}" } }] };
  expect(read({ choices: [{ message: { content: "I look." } }, { message }] })).toHaveLength(1);
  expect(
    read({
      choices: [
        { index: 0, message: {} },
        { index: 1, message },
      ],
    }),
  ).toEqual([]);
});
