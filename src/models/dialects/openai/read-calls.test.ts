import { expect, test } from "vitest";
import { readCalls } from "../read-calls.ts";

const reply = (message: object, finish_reason = "tool_calls") => ({
  choices: [{ index: 0, message, finish_reason }],
});
const read = (body: unknown) =>
  readCalls("openai-chat", body).map(({ id, tool, input, finish }) => [id, tool, input, finish]);

test("arguments come out as they were sent: text, an object, null, or nothing", () => {
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

test("the old function call and custom tools are calls", () => {
  expect(read(reply({ function_call: { name: "look", arguments: "{}" } }, "function_call"))).toEqual([
    ["call-0", "look", "{}", "complete"],
  ]);
  expect(
    read(reply({ tool_calls: [{ id: "a", type: "custom", custom: { name: "sh", input: "ls" } }] })),
  ).toEqual([["a", "sh", "ls", "complete"]]);
});

test("of a reply that ran out of tokens only the last call is in doubt", () => {
  const message = {
    tool_calls: [
      { id: "a", function: { name: "look", arguments: "{bad" } },
      { id: "b", function: { name: "look", arguments: '{"x":' } },
    ],
  };
  expect(read(reply(message, "length")).map(([, , , finish]) => finish)).toEqual(["complete", "incomplete"]);
});

test("calls in a second choice without an index belong to the answer, those of an alternative do not", () => {
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
