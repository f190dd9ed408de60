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

describe("text", () => {
  it.each<[string, string, unknown]>([
    ["a byte order mark", '\uFEFF{"a":1}', { a: 1 }],
    ["a fence", '```json\n{"a":1}\n```', { a: 1 }],
    ["words and a fence in one line", 'Input: ```{"a":1}``` done', { a: 1 }],
    ["special tokens", '<|call|>{"a":1}<|end|>', { a: 1 }],
    ["a tag in brackets", '[TOOL_CALLS] {"a":1}', { a: 1 }],
    ["the same object twice", '{"a":{"b":1}} {"a": {"b": 1}}', { a: { b: 1 } }],
    ["brackets that close nothing", '{"a":1}}]', { a: 1 }],
    ["a comma before the end", '{"a":[1,2,],}', { a: [1, 2] }],
    ["a comma that is missing before a key", '{"a":1 "b":[]\n"c":"d"}', { a: 1, b: [], c: "d" }],
    ["single quotes", `{'a':'say "b"'}`, { a: 'say "b"' }],
    ["smart quotes", "{“a”: ‘b’}", { a: "b" }],
    ["Python's words", "{'a': True, 'b': [False, None]}", { a: true, b: [false, null] }],
    ["comments", '{// one\n"a":1, /* two */\n# three\n"b":2}', { a: 1, b: 2 }],
    ["keys without quotes", "{a: 1, b_c: 2}", { a: 1, b_c: 2 }],
    ["a key whose first quote is missing", '{"a":"b",c":"d"}', { a: "b", c: "d" }],
    ["line breaks as two characters", '{"a": \\n[1,\\t2]\\n}', { a: [1, 2] }],
    ["escaped quotes all over", '{\\"a\\": \\"b \\\\\\"c\\\\\\"\\"}', { a: 'b "c"' }],
    ["a line break inside a text", '{"a":"b\n\tc"}', { a: "b\n\tc" }],
    ["an escaped apostrophe", `{"a":"it\\'s"}`, { a: "it's" }],
    ["backslashes where no escape is", '{"a":"\\d+\\.\\w"}', { a: "\\d+\\.\\w" }],
    ["a text in single quotes", `'{"a":1}'`, { a: 1 }],
    ["a text in quotes that are not escaped", '"{"a":1}"', { a: 1 }],
    ["an encoded text with words around", 'Input: "{\\"a\\":1}"', { a: 1 }],
    ["a comma before the first key", '{,"a":1}', { a: 1 }],
    ["a member twice with one value", '{"a":[1],"a":[1]}', { a: [1] }],
  ])("%s: what is meant is beyond doubt", (_, given, value) => {
    const result = repairIt(given);
    expect(got(result)).toEqual(value);
    expect(result.ok && result.changes.length).toBeGreaterThan(0);
  });

  it.each<[string, string]>([
    ["an object that is not closed", '{"a":1'],
    ["an inner object that is not closed", '{"a":{"b":1}'],
    ["a text that is not closed", '{"a":"b'],
    ["an encoded text that is not closed", '"{\\"a\\":1}'],
    ["a comment that is not closed", '{"a":1 /* }'],
    ["two different objects", '{"a":1}{"a":2}'],
    ["an empty object before the true one", '{}{"a":1}'],
    ["a list", '[{"a":1}]'],
    ["a list beside the object", 'of [1,2] take {"a":1}'],
    ["braces in the words around", 'fill {name} into {"a":1}'],
    ["a member behind the object", '{"a":1}, "b":2}'],
    ["a member before the object", '"b": {"a":1}}'],
    ["an item that is missing", '{"a":[1,,2]}'],
    ["a value that is missing", '{"a":,"b":1}'],
    ["two texts side by side", '{"a":["b" "c"]}'],
    ["quotes inside of a text", '{"a":"say "b" loudly"}'],
    ["an apostrophe inside of single quotes", "{'a':'it's'}"],
    ["a path of which some is an escape", '{"a":"C:\\temp\\dir\\file"}'],
    ["half of an escape", '{"a":"\\u12"}'],
    ["an escape of other languages", '{"a":"\\x41"}'],
    ["a path in a text that is escaped as a whole", '{\\"a\\":\\"C:\\\\temp\\"}'],
    ["a text without quotes", '{"a":b}'],
    ["NaN", '{"a":NaN}'],
    ["undefined", '{"a":undefined}'],
    ["leading zeros", '{"a":007}'],
    ["another base", '{"a":0x1F}'],
    ["digits in groups", '{"a":1_000}'],
    ["a whole number that would lose digits", "{'a':12345678901234567890}"],
    ["a member twice with two values", '{"a":1,"a":2}'],
    ["a key that reaches every object", "{'__proto__':{'a':1}}"],
    ["two keys that reach every object", "{constructor:{prototype:1}}"],
    ["brackets that do not belong together", '{"a":[1}'],
    ["a control character", '{"a":"b\u0000"}'],
    ["nothing but words", "no arguments are needed"],
    ["more than one fence", '```{"a":1}``` ```sh```'],
  ])("%s: refused", (_, given) => {
    expect(repairIt(given).ok).toBe(false);
  });

  it("a text without quotes counts where the schema asks for a text and nothing else, if it is one word", () => {
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

  it("after a text a comma may be missing only before a property that the schema knows", () => {
    const schema = object({ say: text, loud: text });
    expect(got(repairIt('{"say":"a""loud":"b"}', schema))).toEqual({ say: "a", loud: "b" });
    expect(repairIt('{"say":"a" "then": "b"}', schema).ok).toBe(false);
  });

  it("a property with a value in the words around is a part of the arguments that is missing", () => {
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

  it("longer or deeper than its limits allow is refused", () => {
    expect(repairIt('{"a":1,}', open, { limits: { maxLength: 5 } }).ok).toBe(false);
    expect(repairIt('{"a":[[1,]]}', open, { limits: { maxDepth: 2 } }).ok).toBe(false);
    expect(repairIt('{"a":[[1,]]}', open, { limits: { maxDepth: 3 } }).ok).toBe(true);
  });
});

describe("value", () => {
  it.each<[string, string, JsonSchema, unknown]>([
    ["an encoded whole", '"{\\"a\\":1}"', open, { a: 1 }],
    ["a whole that was encoded twice", JSON.stringify(JSON.stringify('{"a":1}')), open, { a: 1 }],
    [
      "an encoded object",
      '{"o":"{\\"n\\":\\"5\\"}"}',
      object({ o: object({ n: integer }) }),
      { o: { n: 5 } },
    ],
    ["a list as Python prints it", `{"l":"['a', 'b']"}`, object({ l: { type: "array" } }), { l: ["a", "b"] }],
    ["a number as text", '{"n":"-12"}', object({ n: integer }), { n: -12 }],
    ["a fraction as text", '{"n":"2.50"}', object({ n: { type: "number" } }), { n: 2.5 }],
    ["a yes or no as text", '{"b":"True"}', object({ b: { type: ["boolean", "null"] } }), { b: true }],
    [
      "a choice by reference",
      '{"n":"2"}',
      object({ n: { $ref: "#/$defs/n" } }, { $defs: { n: { enum: [1, 2] } } }),
      { n: 2 },
    ],
    ["arguments in arguments", '{"arguments":{"n":"5"}}', closed({ n: integer }), { n: 5 }],
    [
      "arguments as text beside the name",
      '{"name":"get","args":"{\\"n\\":5}"}',
      closed({ n: integer }),
      { n: 5 },
    ],
    ["a key in another case", '{"filePath":"a"}', closed({ file_path: text }), { file_path: "a" }],
    [
      "a key with a letter that is not doubled",
      '{"adress":"a"}',
      closed({ address: text }),
      { address: "a" },
    ],
  ])("%s: the schema says what is meant", (_, given, schema, value) => {
    const result = repairIt(given, schema, { tool: "get" });
    expect(got(result)).toEqual(value);
    expect(result.ok && result.changes.length).toBeGreaterThan(0);
  });

  it.each<[string, string, JsonSchema]>([
    ["null as text", '{"n":"null"}', object({ n: { type: ["integer", "null"] } })],
    ["a fraction where a whole number belongs", '{"n":"5.0"}', object({ n: integer })],
    ["leading zeros in a text", '{"n":"007"}', object({ n: integer })],
    ["space around a number", '{"n":" 5 "}', object({ n: integer })],
    ["an unsafe number as text", '{"n":"12345678901234567890"}', object({ n: integer })],
    ["yes", '{"b":"yes"}', object({ b: { type: "boolean" } })],
    ["1 for true", '{"b":1}', object({ b: { type: "boolean" } })],
    ["a number for a text", '{"s":5}', object({ s: text })],
    ["one item for a list", '{"l":"a"}', object({ l: { type: "array" } })],
    ["words around an encoded object", '{"o":"see {\\"a\\":1}"}', object({ o: { type: "object" } })],
    ["a wrapping that is a property", '{"input":{"n":5}}', closed({ input: text, n: integer })],
    ["a wrapping for another tool", '{"name":"put","input":{"n":5}}', closed({ n: integer })],
    ["a text in a wrapping", '{"arguments":"ls"}', closed({ command: text })],
    ["a key with a letter missing", '{"locaton":"a"}', closed({ location: text })],
    ["two keys for one property", '{"userId":1,"userid":1}', closed({ user_id: integer })],
    ["a key that is another word", '{"isactive":true}', closed({ inactive: { type: "boolean" } })],
    ["a key with another digit", '{"address2":"a"}', closed({ address1: text })],
    ["no object at all", "5", open],
  ])("%s: refused", (_, given, schema) => {
    expect(repairIt(given, schema, { tool: "get" }).ok).toBe(false);
  });

  it("a text is never touched where one is accepted", () => {
    const schema = object({ s: text, either: { anyOf: [text, integer] }, n: integer }, { required: ["n"] });
    const given = { s: "{\\", either: "5", n: "5" };
    expect(got(repairIt(JSON.stringify(given), schema))).toEqual({ ...given, n: 5 });
  });

  it("a value without a text is repaired on a copy", () => {
    const schema = object({ n: integer });
    const value = Object.freeze({ n: "5" });
    expect(got(repair({ value, schema, validate: compileSchema(schema) }))).toEqual({ n: 5 });
    expect(value).toEqual({ n: "5" });
  });

  it("what comes out is always named arguments, whatever else the schema takes", () => {
    for (const given of ["'5'", '"{}"', "[1,]", "None"]) expect(repairIt(given, {}).ok, given).toBe(false);
  });

  it("every change says where it was made, and from what to what", () => {
    const schema = object({ list: { type: "array", items: object({ n: integer }) } });
    const result = repairIt(`{'list': "[{\\"n\\": \\"5\\"}]"}`, schema);
    expect(result.ok && result.changes).toEqual([
      { stage: "text", pointer: "", from: "'list'", to: '"list"' },
      { stage: "shape", pointer: "/list", from: '"[{\\"n\\": \\"5\\"}]"', to: "[…]" },
      { stage: "value", pointer: "/list/0/n", from: '"5"', to: "5" },
    ]);
  });

  it("what a validator or a getter throws is a refusal like any other", () => {
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
