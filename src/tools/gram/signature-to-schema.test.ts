import { describe, expect, it } from "vitest";
import { compileSchema } from "../../base/schema/compile-schema.ts";
import { readSchema } from "../../base/schema/read-schema.ts";
import { ToolDefinitionError } from "../../types/errors.ts";
import type { JsonSchema } from "../../types/json.ts";
import { readSignature } from "./read-signature.ts";
import { signatureToOutputSchema, signatureToSchema } from "./signature-to-schema.ts";

const closed = (properties: JsonSchema, required: readonly string[]): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const text = { type: "string" };

describe("classic signatures", () => {
  it.each([
    ["() --> IO Text", closed({}, [])],
    ["(name: Text) --> IO Text", closed({ name: text }, ["name"])],
    ["(name: Text, age: Maybe Int) --> IO Text", closed({ name: text, age: { type: "integer" } }, ["name"])],
    ["(items: [Text]) --> IO Int", closed({ items: { type: "array", items: text } }, ["items"])],
    [
      "(user: {name: Text, address: {city: Text, country: Text}}) --> IO Text",
      closed(
        {
          user: closed({ name: text, address: closed({ city: text, country: text }, ["city", "country"]) }, [
            "name",
            "address",
          ]),
        },
        ["user"],
      ),
    ],
    [
      "(query: {text: Text, filters: {category: Maybe Text, price: Maybe {min: Double, max: Double}}, limit: Maybe Int}) --> IO [Text]",
      closed(
        {
          query: closed(
            {
              text,
              filters: closed(
                {
                  category: text,
                  price: closed({ min: { type: "number" }, max: { type: "number" } }, ["min", "max"]),
                },
                [],
              ),
              limit: { type: "integer" },
            },
            ["text", "filters"],
          ),
        },
        ["query"],
      ),
    ],
    [
      "(a: [Maybe Int], b: [[Bool]], c: Object, d: Array, e: {}) --> IO Text",
      closed(
        {
          a: { type: "array", items: { type: ["integer", "null"] } },
          b: { type: "array", items: { type: "array", items: { type: "boolean" } } },
          c: { type: "object" },
          d: { type: "array" },
          e: closed({}, []),
        },
        ["a", "b", "c", "d", "e"],
      ),
    ],
  ])("in classic form become JSON Schema: %s", (signature, schema) => {
    expect(signatureToSchema(signature)).toEqual(schema);
  });
});

describe("path signatures", () => {
  it.each([
    ["(personName::String)==>(::String)", closed({ personName: text }, ["personName"])],
    [
      '(personName::String {default:"world"})==>(::String)',
      closed({ personName: { type: "string", default: "world" } }, []),
    ],
    ["(limit::Integer {default:10})==>(::Array)", closed({ limit: { type: "integer", default: 10 } }, [])],
    ["(userParams::Object)==>(::String)", closed({ userParams: { type: "object" } }, ["userParams"])],
    ["()==>(::String)", closed({}, [])],
    ["(y::Integer)==>(::String)", closed({ y: { type: "integer" } }, ["y"])],
    ["(a::String)==>(b::Integer)==>(::String)", closed({ a: text, b: { type: "integer" } }, ["a", "b"])],
    [
      "(a::String)==>(b::Integer {optional: true})==>(c::Boolean)==>(::String)",
      closed({ a: text, b: { type: "integer" }, c: { type: "boolean" } }, ["a", "c"]),
    ],
  ])("in path form become JSON Schema: %s", (signature, schema) => {
    expect(signatureToSchema(signature)).toEqual(schema);
  });

  it.each(["x", "name", "key", "city", "value", "y"])(
    "accept the parameter name in (%s::String)==>(::String)",
    (name) => {
      expect(signatureToSchema(`(${name}::String)==>(::String)`)).toEqual(closed({ [name]: text }, [name]));
    },
  );

  it.each([
    ["Number", "1.5", 1.5],
    ["Number", "-3", -3],
    ["Integer", "0xFF", 255],
    ["Integer", "007", 7],
    ["Boolean", "false", false],
    ["String", "world", "world"],
    ["String", "`a b`", "a b"],
    ["String", "md`**a**`", "**a**"],
    ["String", "```\na\nb```", "a\nb"],
    ["Array", "[1, 2.5, x, true]", [1, 2.5, "x", true]],
    ["Array", "json`[[1], null]`", [[1], null]],
    ["Array", "json`[]`", []],
    ["Object", "{a: 1, b: x}", { a: 1, b: "x" }],
    ["Object", "{}", {}],
    ["Object", 'json`{"a": {"b": [1]}}`', { a: { b: [1] } }],
  ])("keep a default without requiring the parameter: %s %s", (type, written, value) => {
    expect(signatureToSchema(`(a::${type} {default: ${written}})==>(::String)`)).toEqual(
      closed({ a: { type: type.toLowerCase(), default: value } }, []),
    );
  });

  it("write constraints as keywords in a fixed order", () => {
    const signature =
      '(a::String {format: "email", pattern: "@", enum: ["a@b"], description: "d"})==>(b::Number {maximum: 2, minimum: 1})==>(c::Array {elementType: "Int"})==>(::String)';
    expect(JSON.stringify(signatureToSchema(signature))).toBe(
      '{"type":"object","properties":{"a":{"type":"string","description":"d","enum":["a@b"],"pattern":"@","format":"email"},' +
        '"b":{"type":"number","minimum":1,"maximum":2},"c":{"type":"array","items":{"type":"integer"}}},' +
        '"required":["a","b","c"],"additionalProperties":false}',
    );
  });

  it("nest the shape from a second element", () => {
    const signature = `(address::Object)==>(::String)
      [address:Object | (city::String), (zip::String {optional:true})]`;
    expect(signatureToSchema(signature)).toEqual(
      closed({ address: closed({ city: text, zip: text }, ["city"]) }, ["address"]),
    );
  });
});

describe("signatureToOutputSchema", () => {
  it.each([
    ["() --> IO Text", text],
    ["() --> IO Maybe Int", { type: ["integer", "null"] }],
    ["() --> IO [Text]", { type: "array", items: text }],
    ["() --> IO {a: Text, b: Maybe Text}", closed({ a: text, b: text }, ["a"])],
    ["(limit::Integer)==>(::Array)", { type: "array" }],
    ["()==>(::String {enum: [a, b], optional: true})", { type: ["string", "null"], enum: ["a", "b", null] }],
    [
      "()==>(out::Object) [out:Object | (n::Number {minimum: 0})]",
      closed({ n: { type: "number", minimum: 0 } }, ["n"]),
    ],
  ])("converts %s", (signature, schema) => {
    expect(signatureToOutputSchema(signature)).toEqual(schema);
  });
});

it("signatureToSchema returns a valid tool schema that validates values", () => {
  const schema = signatureToSchema("(name: Text, tags: [Maybe Text], size: Maybe {w: Int}) --> IO Text");
  expect(readSchema(schema, "input").schema).toEqual(schema);
  const judge = compileSchema(schema);
  expect(judge({ name: "a", tags: ["x", null] }).ok).toBe(true);
  expect(judge({ name: "a", tags: [], size: { w: 1 } }).ok).toBe(true);
  expect(judge({ name: "a", tags: [], size: {} }).ok).toBe(false);
  expect(judge({ name: "a", tags: [], more: 1 }).ok).toBe(false);
  expect(judge({ tags: [] }).ok).toBe(false);
});

it("signatureToSchema returns the same frozen schema for a read signature and its text", () => {
  const signature = "(a: {b: [Text]}) --> IO Text";
  const reading = readSignature(signature);
  const schema = reading.ok ? signatureToSchema(reading.signature) : undefined;
  expect(schema).toEqual(signatureToSchema(signature));
  expect(schema?.properties).toSatisfy((each) => Object.isFrozen((each as { a: object }).a));
});

it("signatureToSchema throws the error and its position for an invalid signature", () => {
  expect(() => signatureToSchema("(name: Nmae) --> IO Text")).toThrow(ToolDefinitionError);
  expect(() => signatureToSchema("(name: Nmae) --> IO Text")).toThrow('1:8 The type "Nmae" is unknown.');
});
