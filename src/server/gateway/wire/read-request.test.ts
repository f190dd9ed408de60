import { expect, test } from "vitest";
import { readRequest, readRequestLine } from "./read-request.ts";

const readValue = (text: string): unknown => {
  const reading = readRequest(text);
  return reading.ok ? reading.value : reading.problem.message;
};

test("keeps the arguments of a tool call as exact text and parses the rest", () => {
  const args = '{ "id":9007199254740993, "id":1 }';
  expect(readValue(`{"method":"tools/call","params":{"arguments":${args},"name":"a"},"id":1}`)).toEqual({
    method: "tools/call",
    params: { arguments: args, name: "a" },
    id: 1,
  });
});

test("keeps the arguments of each message in a batch", () => {
  const batch = `[{"method":"tools/call","params":{"arguments":{"n":1}}},{"method":"ping"},{"method":"prompts/get","params":{"arguments":{"n":"2"}}},{"params":{"arguments":{"n":3}},"method":"tools/call"}]`;
  expect(readValue(batch)).toEqual([
    { method: "tools/call", params: { arguments: '{"n":1}' } },
    { method: "ping" },
    { method: "prompts/get", params: { arguments: { n: "2" } } },
    { method: "tools/call", params: { arguments: '{"n":3}' } },
  ]);
});

test.each([
  ["a string", '"{}"', false],
  ["a list", "[{}]", false],
  ["a number", "1e-400", false],
  ["null", "null", null],
])("distinguishes arguments that are %s from the text of an object", (_, args, expected) => {
  expect(readValue(`{"method":"tools/call","params":{"arguments":${args}}}`)).toEqual({
    method: "tools/call",
    params: { arguments: expected },
  });
});

test.each([
  ['{"method":"tools/call","params":{"arguments":{},"arguments":{}}}', "is duplicated"],
  ['{"method":"tools/call","method":"ping"}', "is duplicated"],
  ['{"method":"tools/call","params":{"__proto__":{"arguments":{}}}}', "__proto__"],
  ['{"id":9007199254740993}', "would lose digits"],
  ['{"method":"prompts/get","params":{"arguments":{"a":1,"a":2}}}', "is duplicated"],
  [`${"[".repeat(200)}${"]".repeat(200)}`, "nested deeper"],
  ['{"method":"tools/call","params":{"arguments":{"a":1}', "Expected"],
  ["hello", "hello"],
  ["", "empty"],
])("refuses %s with the reason", (text, why) => {
  expect(readValue(text)).toContain(why);
  expect(readRequestLine(text)).toMatchObject({ ok: false, kind: "harm" });
});
