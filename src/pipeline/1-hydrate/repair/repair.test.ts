import { describe, expect, it } from "vitest";
import { compileSchema } from "../../../base/schema/compile-schema.ts";
import type { JsonSchema } from "../../../types/json.ts";
import { type BrokenArguments, type RepairResult, repair } from "./repair.ts";

const open: JsonSchema = Object.freeze({ type: "object" });
const text = { type: "string" };
const integer = { type: "integer" };

const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});

const closed = (properties: Record<string, unknown>): JsonSchema =>
  object(properties, { required: Object.keys(properties), additionalProperties: false });

const repairIt = (
  given: string,
  schema: JsonSchema = open,
  more: Partial<BrokenArguments> = {},
): RepairResult => repair({ text: given, schema, validate: compileSchema(schema), ...more });

const got = (result: RepairResult): unknown => (result.ok ? result.value : `refused: ${result.why}`);

describe("text repair", () => {
  it.each<[string, string, unknown]>([
    ["a byte order mark", '\uFEFF{"a":1}', { a: 1 }],
    ["a fence", '```json\n{"a":1}\n```', { a: 1 }],
    ["text and a fence on one line", 'Input: ```{"a":1}``` done', { a: 1 }],
    ["special tokens", '<|call|>{"a":1}<|end|>', { a: 1 }],
    ["a tag in brackets", '[TOOL_CALLS] {"a":1}', { a: 1 }],
    ["the same object twice", '{"a":{"b":1}} {"a": {"b": 1}}', { a: { b: 1 } }],
    ["surplus closing brackets", '{"a":1}}]', { a: 1 }],
    ["trailing commas", '{"a":[1,2,],}', { a: [1, 2] }],
    ["missing commas before keys", '{"a":1 "b":[]\n"c":"d"}', { a: 1, b: [], c: "d" }],
    ["single quotes", `{'a':'say "b"'}`, { a: 'say "b"' }],
    ["smart quotes", "{“a”: ‘b’}", { a: "b" }],
    ["Python literals", "{'a': True, 'b': [False, None]}", { a: true, b: [false, null] }],
    ["comments", '{// one\n"a":1, /* two */\n# three\n"b":2}', { a: 1, b: 2 }],
    ["keys without quotes", "{a: 1, b_c: 2}", { a: 1, b_c: 2 }],
    ["a key whose first quote is missing", '{"a":"b",c":"d"}', { a: "b", c: "d" }],
    ["escaped line breaks between tokens", '{"a": \\n[1,\\t2]\\n}', { a: [1, 2] }],
    ["escaped quotes throughout", '{\\"a\\": \\"b \\\\\\"c\\\\\\"\\"}', { a: 'b "c"' }],
    ["a line break inside a string", '{"a":"b\n\tc"}', { a: "b\n\tc" }],
    ["an escaped apostrophe", `{"a":"it\\'s"}`, { a: "it's" }],
    ["backslashes that are not escapes", '{"a":"\\d+\\.\\w"}', { a: "\\d+\\.\\w" }],
    ["an object in single quotes", `'{"a":1}'`, { a: 1 }],
    ["an object in unescaped double quotes", '"{"a":1}"', { a: 1 }],
    ["an encoded object after other text", 'Input: "{\\"a\\":1}"', { a: 1 }],
    ["a comma before the first key", '{,"a":1}', { a: 1 }],
    ["a duplicate member with equal values", '{"a":[1],"a":[1]}', { a: [1] }],
  ])("repairs text with %s", (_, given, value) => {
    const result = repairIt(given);
    expect(got(result)).toEqual(value);
    expect(result.ok && result.changes.length).toBeGreaterThan(0);
  });

  it.each<[string, string]>([
    ["an object that is not closed", '{"a":1'],
    ["an inner object that is not closed", '{"a":{"b":1}'],
    ["a string that is not closed", '{"a":"b'],
    ["an encoded string that is not closed", '"{\\"a\\":1}'],
    ["a comment that is not closed", '{"a":1 /* }'],
    ["two different objects", '{"a":1}{"a":2}'],
    ["an empty object before another object", '{}{"a":1}'],
    ["a list", '[{"a":1}]'],
    ["a list before the object", 'of [1,2] take {"a":1}'],
    ["braces before the object", 'fill {name} into {"a":1}'],
    ["a member after the object", '{"a":1}, "b":2}'],
    ["a member before the object", '"b": {"a":1}}'],
    ["a missing item", '{"a":[1,,2]}'],
    ["a missing value", '{"a":,"b":1}'],
    ["two adjacent strings", '{"a":["b" "c"]}'],
    ["unescaped quotes inside a string", '{"a":"say "b" loudly"}'],
    ["an apostrophe inside single quotes", "{'a':'it's'}"],
    ["a path that contains an escape", '{"a":"C:\\temp\\dir\\file"}'],
    ["an incomplete escape", '{"a":"\\u12"}'],
    ["an escape that JSON does not have", '{"a":"\\x41"}'],
    ["a path in a fully escaped text", '{\\"a\\":\\"C:\\\\temp\\"}'],
    ["a string without quotes", '{"a":b}'],
    ["NaN", '{"a":NaN}'],
    ["undefined", '{"a":undefined}'],
    ["leading zeros", '{"a":007}'],
    ["a hexadecimal number", '{"a":0x1F}'],
    ["grouped digits", '{"a":1_000}'],
    ["an integer that would lose digits", "{'a':12345678901234567890}"],
    ["a duplicate member with different values", '{"a":1,"a":2}'],
    ["a prototype key", "{'__proto__':{'a':1}}"],
    ["constructor and prototype keys", "{constructor:{prototype:1}}"],
    ["mismatched brackets", '{"a":[1}'],
    ["a control character", '{"a":"b\u0000"}'],
    ["no object", "no arguments are needed"],
    ["more than one fence", '```{"a":1}``` ```sh```'],
  ])("refuses text with %s", (_, given) => {
    expect(repairIt(given).ok).toBe(false);
  });

  it("accepts one unquoted word only where the schema requires a string", () => {
    const schema = object({
      id: text,
      n: { type: ["string", "integer"] },
      tags: { type: "array", items: text },
    });
    expect(got(repairIt('{"id":cf56-9a1e,"tags":[a/b]}', schema))).toEqual({
      id: "cf56-9a1e",
      tags: ["a/b"],
    });
    for (const given of [
      '{"n":cf56}',
      '{"id":two words}',
      '{"id":007}',
      '{"id":C:\\x}',
      '{"id":null-ish…}',
    ]) {
      expect(repairIt(given, schema).ok, given).toBe(false);
    }
  });

  it("accepts a missing comma after a string only before a known property", () => {
    const schema = object({ say: text, loud: text });
    expect(got(repairIt('{"say":"a""loud":"b"}', schema))).toEqual({ say: "a", loud: "b" });
    expect(repairIt('{"say":"a" "then": "b"}', schema).ok).toBe(false);
  });

  it("refuses when the surrounding text contains a property of the schema", () => {
    const schema = object({ path: text, deep: { type: "boolean" } });
    for (const before of [
      "path = a.txt\n",
      "path: a.txt ",
      "<path>a.txt</path>",
      "<parameter=path>",
      '"path" is ',
    ])
      expect(repairIt(`${before}{"deep":true,}`, schema).ok, before).toBe(false);
    expect(got(repairIt('note: see below\n{"deep":true,}', schema))).toEqual({ deep: true });
  });

  it("refuses text that exceeds the length or depth limit", () => {
    expect(repairIt('{"a":1,}', open, { limits: { maxLength: 5 } }).ok).toBe(false);
    expect(repairIt('{"a":[[1,]]}', open, { limits: { maxDepth: 2 } }).ok).toBe(false);
    expect(repairIt('{"a":[[1,]]}', open, { limits: { maxDepth: 3 } }).ok).toBe(true);
  });
});

describe("value repair", () => {
  it.each<[string, string, JsonSchema, unknown]>([
    ["encoded arguments", '"{\\"a\\":1}"', open, { a: 1 }],
    ["arguments that are encoded twice", JSON.stringify(JSON.stringify('{"a":1}')), open, { a: 1 }],
    [
      "an encoded object",
      '{"o":"{\\"n\\":\\"5\\"}"}',
      object({ o: object({ n: integer }) }),
      { o: { n: 5 } },
    ],
    ["a list in Python notation", `{"l":"['a', 'b']"}`, object({ l: { type: "array" } }), { l: ["a", "b"] }],
    ["a number as text", '{"n":"-12"}', object({ n: integer }), { n: -12 }],
    ["a fraction as text", '{"n":"2.50"}', object({ n: { type: "number" } }), { n: 2.5 }],
    ["a boolean as text", '{"b":"True"}', object({ b: { type: ["boolean", "null"] } }), { b: true }],
    [
      "an enum behind a reference",
      '{"n":"2"}',
      object({ n: { $ref: "#/$defs/n" } }, { $defs: { n: { enum: [1, 2] } } }),
      { n: 2 },
    ],
    ["wrapped arguments", '{"arguments":{"n":"5"}}', closed({ n: integer }), { n: 5 }],
    [
      "wrapped arguments as text next to the tool name",
      '{"name":"get","args":"{\\"n\\":5}"}',
      closed({ n: integer }),
      { n: 5 },
    ],
    ["a key in another case", '{"filePath":"a"}', closed({ file_path: text }), { file_path: "a" }],
    ["a key without a doubled letter", '{"adress":"a"}', closed({ address: text }), { address: "a" }],
  ])("repairs %s according to the schema", (_, given, schema, value) => {
    const result = repairIt(given, schema, { tool: "get" });
    expect(got(result)).toEqual(value);
    expect(result.ok && result.changes.length).toBeGreaterThan(0);
  });

  it.each<[string, string, JsonSchema]>([
    ["null as text", '{"n":"null"}', object({ n: { type: ["integer", "null"] } })],
    ["a fraction where an integer is required", '{"n":"5.0"}', object({ n: integer })],
    ["an integer as text with leading zeros", '{"n":"007"}', object({ n: integer })],
    ["a number as text with spaces", '{"n":" 5 "}', object({ n: integer })],
    ["an unsafe number as text", '{"n":"12345678901234567890"}', object({ n: integer })],
    ["the text yes", '{"b":"yes"}', object({ b: { type: "boolean" } })],
    ["1 as true", '{"b":1}', object({ b: { type: "boolean" } })],
    ["a number where a string is required", '{"s":5}', object({ s: text })],
    ["one item where a list is required", '{"l":"a"}', object({ l: { type: "array" } })],
    ["text before an encoded object", '{"o":"see {\\"a\\":1}"}', object({ o: { type: "object" } })],
    ["a wrapper that is a property of the schema", '{"input":{"n":5}}', closed({ input: text, n: integer })],
    ["arguments wrapped for another tool", '{"name":"put","input":{"n":5}}', closed({ n: integer })],
    ["a wrapped string", '{"arguments":"ls"}', closed({ command: text })],
    ["a key with a missing letter", '{"locaton":"a"}', closed({ location: text })],
    ["two keys for one property", '{"userId":1,"userid":1}', closed({ user_id: integer })],
    ["a key that is another word", '{"isactive":true}', closed({ inactive: { type: "boolean" } })],
    ["a key with another digit", '{"address2":"a"}', closed({ address1: text })],
    ["a value that is not an object", "5", open],
  ])("does not convert %s", (_, given, schema) => {
    expect(repairIt(given, schema, { tool: "get" }).ok).toBe(false);
  });

  it("keeps a string wherever the schema accepts one", () => {
    const schema = object({ s: text, either: { anyOf: [text, integer] }, n: integer }, { required: ["n"] });
    const given = { s: "{\\", either: "5", n: "5" };
    expect(got(repairIt(JSON.stringify(given), schema))).toEqual({ ...given, n: 5 });
  });

  it("repairs a copy of the given value", () => {
    const schema = object({ n: integer });
    const value = Object.freeze({ n: "5" });
    expect(got(repair({ value, schema, validate: compileSchema(schema) }))).toEqual({ n: 5 });
    expect(value).toEqual({ n: "5" });
  });

  it("refuses results that are not an object, for every schema", () => {
    for (const given of ["'5'", '"{}"', "[1,]", "None"]) expect(repairIt(given, {}).ok, given).toBe(false);
  });

  it("reports the place, the old and the new text of each change", () => {
    const schema = object({ list: { type: "array", items: object({ n: integer }) } });
    const result = repairIt(`{'list': "[{\\"n\\": \\"5\\"}]"}`, schema);
    expect(result.ok && result.changes).toEqual([
      { stage: "text", pointer: "", from: "'list'", to: '"list"' },
      { stage: "shape", pointer: "/list", from: '"[{\\"n\\": \\"5\\"}]"', to: "[…]" },
      { stage: "value", pointer: "/list/0/n", from: '"5"', to: "5" },
    ]);
  });

  it("treats an exception of a validator or getter as a refusal", () => {
    const broken = () => {
      throw new Error("no");
    };
    expect(repair({ text: "{a:1}", schema: open, validate: broken }).ok).toBe(false);
    expect(
      repair({
        value: {
          get a() {
            return broken();
          },
        },
        schema: open,
        validate: compileSchema(open),
      }).ok,
    ).toBe(false);
    expect(
      repair({ text: "{a:1}", schema: { type: "nonsense" }, validate: () => ({ ok: true, value: 1 }) }).ok,
    ).toBe(false);
  });
});
