import { describe, expect, it } from "vitest";
import { compileSchema } from "../../../base/schema/compile-schema.ts";
import type { JsonSchema } from "../../../types/json.ts";
import { repair } from "./repair.ts";

const text = { type: "string" };
const integer = { type: "integer" };
const open: JsonSchema = { type: "object" };
const object = (properties: Record<string, unknown>, more = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});

const repaired = (given: string, schema: JsonSchema = open): unknown => {
  const result = repair({ text: given, schema, validate: compileSchema(schema), tool: "tool" });
  return result.ok ? result.value : `refused: ${result.why}`;
};

describe("surplus closing brackets", () => {
  const nested = object({
    filter: object({ status: text, owner: text, deep: object({ a: text }) }),
    limit: integer,
  });

  it.each<[string, unknown, JsonSchema?]>([
    ['{"a":1}}', { a: 1 }],
    ['{"a":{"b":1}}}', { a: { b: 1 } }],
    ['{"filter":{"status":"open"},"limit":5}}', { filter: { status: "open" }, limit: 5 }, nested],
  ])("reads %s because the last members can only belong to the outer object", (given, value, schema) => {
    expect(repaired(given, schema)).toEqual(value);
  });

  it.each<[string, JsonSchema?]>([
    ['{"filter":{"status":"open"},"owner":"me"}}', nested],
    ['{"filter":{"deep":{"a":"b"},"status":"open"},"a":"c"}}', nested],
    [
      '{"filter":{"status":"a"},"limit":5}}',
      object({ filter: object({ status: text, limit: integer }), limit: integer }),
    ],
    ['{"opt":{"min":1}"max":2}}', object({ opt: object({ min: integer, max: integer }) })],
    [
      '{"list":[{"x":1}],"x":2}}',
      object({ list: { type: "array", items: object({ x: integer }) }, x: integer }),
    ],
    ['{"a":{"b":1},"c":2}}'],
    ['{"1":2,"a":{"b":1}}}'],
  ])("refuses %s because the last members may belong to the nested object", (given, schema) => {
    expect(repaired(given, schema)).toMatch(/^refused/);
  });
});

describe("text after an object", () => {
  it.each([
    '{"a":1}<|endoftext|>',
    '{"a":1}</tool_call>',
    '{"a":1}\n```',
    '{"a":1} and so on',
    '{"a":1} "done"',
    '{"a":1};',
    '{"a":1}[DONE]',
    '{"a":1},{"a":1}',
    '{"a":1}\\n',
  ])("is ignored in %j", (given) => {
    expect(repaired(given)).toEqual({ a: 1 });
  });

  it.each([
    '{"a":1}true',
    '{"a":1}2',
    '{"a":1}"',
    '{"a":"echo "}"',
    '{"a":"const s = "}";\nfoo();',
    '{"a":"const s = "} ";\nfoo();',
    '{"a":1}\\nfoo',
    '{"a":1}}x',
    '{"a":1},',
    '{"a":1},\n```',
  ])("may be part of the arguments in %j", (given) => {
    expect(repaired(given)).toMatch(/^refused/);
  });
});

describe("empty object before another object", () => {
  const city = object({ city: text }, { required: ["city"] });

  it("is ignored when the tool does not accept it", () => {
    expect(repaired('{}{"city":"Rome"}', city)).toEqual({ city: "Rome" });
    expect(repaired('{} \n{"city":"Rome"}', city)).toEqual({ city: "Rome" });
  });

  it.each<[string, JsonSchema]>([
    ['{}{"city":"Rome"}', object({ city: text })],
    ['{}{"city":"Rome"}{"city":"Rome"}', city],
    ['{}{"city":"Rome"}{"city":"Oslo"}', city],
    ['{} or {"city":"Rome"}', city],
    ['{"city":"Rome"}{}', city],
    ['{}{"town":"Rome"}', city],
  ])("is refused as one of two objects in %s", (given, schema) => {
    expect(repaired(given, schema)).toMatch(/^refused/);
  });
});

describe("escaped quotes around keys", () => {
  it("are detected only when the first key has them", () => {
    const code = object({ code: text });
    expect(repaired(`{'code': 'print(\\\\\\"hi\\\\\\")'}`, code)).toEqual({ code: 'print(\\"hi\\")' });
    expect(repaired('{\\n \\"a\\": 1\\n}')).toEqual({ a: 1 });
  });

  it.each([
    '{\\"a\\": \\"x\\u0022, \\u0022b\\u0022: \\u0022y\\"}',
    '{\\"a\\": \\"x\\u005cn\\"}',
    '{\\"a\\": \\"x\\u005Cn\\"}',
    `{\\"a\\": 'x'}`,
  ])("are refused in %s", (given) => {
    expect(repaired(given)).toMatch(/^refused/);
  });
});
