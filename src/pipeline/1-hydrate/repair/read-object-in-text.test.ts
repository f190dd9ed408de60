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

describe("brackets closed too often", () => {
  const nested = object({
    filter: object({ status: text, owner: text, deep: object({ a: text }) }),
    limit: integer,
  });

  it.each<[string, unknown, JsonSchema?]>([
    ['{"a":1}}', { a: 1 }],
    ['{"a":{"b":1}}}', { a: { b: 1 } }],
    ['{"filter":{"status":"open"},"limit":5}}', { filter: { status: "open" }, limit: 5 }, nested],
  ])("%s: what is behind a nested value belongs to the outer object alone", (given, value, schema) => {
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
  ])("%s: what is behind a nested value may belong into it", (given, schema) => {
    expect(repaired(given, schema)).toMatch(/^refused/);
  });
});

describe("what follows an object", () => {
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
  ])("%j holds nothing more of it", (given) => {
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
  ])("%j may go on with it", (given) => {
    expect(repaired(given)).toMatch(/^refused/);
  });
});

describe("an empty object before another", () => {
  const city = object({ city: text }, { required: ["city"] });

  it("stands for nothing if the tool cannot be called with it", () => {
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
  ])("%s is two objects in every other case", (given, schema) => {
    expect(repaired(given, schema)).toMatch(/^refused/);
  });
});

describe("escaped quotes all over", () => {
  it("are only looked for where the first key has them", () => {
    const code = object({ code: text });
    expect(repaired(`{'code': 'print(\\\\\\"hi\\\\\\")'}`, code)).toEqual({ code: 'print(\\"hi\\")' });
    expect(repaired('{\\n \\"a\\": 1\\n}')).toEqual({ a: 1 });
  });

  it.each([
    '{\\"a\\": \\"x\\u0022, \\u0022b\\u0022: \\u0022y\\"}',
    '{\\"a\\": \\"x\\u005cn\\"}',
    '{\\"a\\": \\"x\\u005Cn\\"}',
    `{\\"a\\": 'x'}`,
  ])("%s is refused", (given) => {
    expect(repaired(given)).toMatch(/^refused/);
  });
});
