import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readGram } from "./read-gram.ts";
import { readSignature, signatureOfPath } from "./read-signature.ts";
import type { Signature } from "./signature-types.ts";

const read = (text: string): Signature => {
  const reading = readSignature(text);
  if (!reading.ok) throw new Error(JSON.stringify(reading.diagnostics));
  return reading.signature;
};

/** Returns `code line:column` of each diagnostic in order. */
const complaints = (text: string): readonly string[] => {
  const reading = readSignature(text);
  return reading.ok ? [] : reading.diagnostics.map(({ code, line, column }) => `${code} ${line}:${column}`);
};

describe("classic signature", () => {
  it("is read into parameters, result and effect", () => {
    expect(read("(name: Text, age: Maybe Int) --> IO Text")).toEqual({
      form: "classic",
      parameters: [
        { name: "name", type: "string", optional: false },
        { name: "age", type: "integer", optional: true },
      ],
      result: { type: "string" },
      effect: true,
    });
  });

  it("may omit IO", () => {
    expect(read("() --> Text")).toMatchObject({ parameters: [], effect: false });
    expect(read("() --> IO Text")).toMatchObject({ parameters: [], effect: true });
  });

  it("accepts both vocabularies in any case", () => {
    const types = (text: string) => read(text).parameters.map(({ type }) => type);
    const all = ["string", "integer", "number", "boolean", "object", "array"];
    expect(types("(a: Text, b: Int, c: Double, d: Bool, e: Object, f: Array) --> IO Text")).toEqual(all);
    expect(types("(a: string, b: INTEGER, c: Number, d: boolean, e: object, f: array) --> io text")).toEqual(
      all,
    );
  });

  it("supports nested lists and records over several lines", () => {
    const text = `(
      query: {
        words: [Text],
        price: Maybe {min: Double, max: Double}
      }
    ) --> IO [{title: Text, score: Maybe Double}]`;
    expect(read(text)).toMatchObject({
      parameters: [
        {
          name: "query",
          type: {
            record: [
              { name: "words", type: { list: { type: "string" } }, optional: false },
              { name: "price", type: { record: [{ name: "min" }, { name: "max" }] }, optional: true },
            ],
          },
        },
      ],
      result: {
        type: { list: { type: { record: [{ name: "title" }, { name: "score", optional: true }] } } },
      },
    });
  });

  it("reads Maybe as nullable where nothing can be omitted", () => {
    expect(read("(all: [Maybe Int]) --> IO Maybe Text")).toMatchObject({
      parameters: [{ type: { list: { type: "integer", nullable: true } }, optional: false }],
      result: { type: "string", nullable: true },
    });
  });

  it.each([
    ["IO (Text)", { type: "string" }],
    ["IO (Maybe Text)", { type: "string", nullable: true }],
    ["(IO (Maybe Text))", { type: "string", nullable: true }],
    ["IO (Maybe ([(Maybe Int)]))", { type: { list: { type: "integer", nullable: true } }, nullable: true }],
    ["IO ()", { type: "null" }],
    ["IO (Maybe ())", { type: "null" }],
    ["(IO ())", { type: "null" }],
  ])("accepts parentheses around a result type and reads empty ones as null: %s", (result, shape) => {
    expect(read(`(name: Text) --> ${result}`)).toMatchObject({ result: shape, effect: true });
    expect(read(`(name: Text) --> ${result}`).result).toEqual(shape);
  });

  it("accepts parentheses around parameter and field types", () => {
    expect(
      read("(a: (Text), b: (Maybe Int), c: Maybe (Int), d: {e: (Maybe [(Text)])}) --> ()"),
    ).toMatchObject({
      parameters: [
        { name: "a", type: "string", optional: false },
        { name: "b", type: "integer", optional: true },
        { name: "c", type: "integer", optional: true },
        { name: "d", type: { record: [{ name: "e", type: { list: { type: "string" } }, optional: true }] } },
      ],
      result: { type: "null" },
      effect: false,
    });
  });

  it.each([
    ["", "signature-syntax 1:1"],
    ["name: Text --> IO Text", "signature-syntax 1:1"],
    ["(name: Text", "signature-syntax 1:12"],
    ["(name Text) --> IO Text", "signature-syntax 1:7"],
    ["(name) --> IO Text", "signature-syntax 1:6"],
    ["(name: Text,) --> IO Text", "signature-syntax 1:12"],
    ["(name: Text) -> IO Text", "signature-syntax 1:14"],
    ["(name: Text) ==> IO Text", "signature-syntax 1:14"],
    ["(name: Text) --> IO Text Text", "signature-syntax 1:26"],
    ["(name: Text)", "missing-result 1:13"],
    ["(name: Text) -->", "missing-result 1:17"],
    ["(name: Text) --> IO", "missing-result 1:20"],
    ["(Text) --> IO Text", "unnamed-parameter 1:2"],
    ["(a: Text, a: Int) --> IO Text", "duplicate-parameter 1:11"],
    ["(u: {a: Text, a: Int}) --> IO Text", "duplicate-parameter 1:15"],
    ["(name: Strng) --> IO Text", "unknown-type 1:8"],
    ["(name: Text) --> IO Unit", "unknown-type 1:21"],
    ["(items: [Text) --> IO Int", "signature-syntax 1:14"],
    ["(items: []) --> IO Int", "signature-syntax 1:10"],
    ["(items: [Text, Int]) --> IO Int", "signature-syntax 1:14"],
    ["(user: {name Text}) --> IO Text", "signature-syntax 1:14"],
    ["(user: {name: Text) --> IO Text", "signature-syntax 1:19"],
    ["(a: Maybe Maybe Int) --> IO Text", "signature-syntax 1:11"],
    ["(a: Maybe (Maybe Int)) --> IO Text", "signature-syntax 1:11"],
    ["(a: Text) --> IO (Maybe Text", "signature-syntax 1:29"],
    ["(a: Text) --> IO (Maybe)", "signature-syntax 1:24"],
    ["(a: Text) --> IO (Text, Int)", "signature-syntax 1:23"],
    ["(a: Text) --> IO (IO Text)", "unknown-type 1:19"],
    [`(a: Text) --> IO ${"(".repeat(5_000)}`, "too-deep 1:83"],
    ["(__proto__: Text) --> IO Text", "refused-name 1:2"],
    ["(größe: Int) --> IO Text", "signature-syntax 1:4"],
    [`(\n  name: Text,\n  age: Year\n) --> IO Text`, "unknown-type 3:8"],
  ])("is rejected with a position: %j", (text, first) => {
    expect(complaints(text)[0]).toBe(first);
  });

  it("reports all unknown types with hints", () => {
    const reading = readSignature("(a: Str, b: Foo) --> IO Float");
    expect(
      reading.ok ? [] : reading.diagnostics.map(({ message, hint }) => [message, hint?.slice(0, 30)]),
    ).toEqual([
      ['The type "Str" is unknown.', "In this form it is called Text"],
      ['The type "Foo" is unknown.', "The types are Text or String, "],
      ['The type "Float" is unknown.', "In this form it is called Doub"],
    ]);
  });

  it("is rejected when its types are nested too deeply", () => {
    const deep = 100_000;
    expect(complaints(`(a: ${"[".repeat(deep)}Text${"]".repeat(deep)}) --> IO Text`)).toEqual([
      "too-deep 1:70",
    ]);
  });
});

describe("gram path signature", () => {
  it("supports any number of parameters", () => {
    const names = (text: string) => read(text).parameters.map(({ name }) => name);
    expect(names("()==>(::String)")).toEqual([]);
    expect(names("(a::String)==>(::String)")).toEqual(["a"]);
    expect(names("(a::String)==>(b::Integer)==>(::String)")).toEqual(["a", "b"]);
    expect(names("(a::String)==>(b::Integer)==>(c::Boolean)==>(d::Number)==>(::String)")).toHaveLength(4);
  });

  it("supports all arrow families, both vocabularies and single colons", () => {
    const plain = read("(a::String)==>(b::Integer)==>(::Number)");
    for (const text of [
      "(a::String)-->(b::Integer)-->(::Number)",
      "(a::String)~~>(b::Integer)==>(::Number)",
      "(a:Text)-->(b:int)-->(:Double)",
      "(a::String)=[:FunctionType]=>(b::Integer)=[f::FunctionType]=>(out::Number)",
      "// what it takes\n(a::String)\n ==>(b::Integer)\n ==>(::Number)",
    ]) {
      expect(read(text), text).toEqual(plain);
    }
  });

  it("reads constraints from records", () => {
    const text = `(a::String {description: "d", pattern: "^x", format: "email", enum: ["xa", "xb"]})
      ==>(b::Integer {minimum: 1, maximum: 9, default: 3})==>(c::Array {elementType: "[Int]", optional: true})
      ==>(::String)`;
    expect(read(text).parameters).toEqual([
      {
        name: "a",
        type: "string",
        optional: false,
        description: "d",
        enum: ["xa", "xb"],
        pattern: "^x",
        format: "email",
      },
      { name: "b", type: "integer", optional: true, minimum: 1, maximum: 9, default: 3 },
      { name: "c", type: { list: { type: { list: { type: "integer" } } } }, optional: true },
    ]);
  });

  it("reads object and list shapes from the brackets after it", () => {
    const text = `(address::Object {optional: true})==>(rows::Array)==>(report::Object)
      [address:Object | (city::String), [geo:Object {optional: true} | (lat::Number), (lon::Number)]]
      [rows:Array | [:Object | (sku::String), (count::Integer {default: 1})]]
      [report:Object | (done::Boolean)]`;
    const city = { name: "city", type: "string", optional: false };
    const number = { type: "number", optional: false };
    const geo = {
      name: "geo",
      optional: true,
      type: {
        record: [
          { name: "lat", ...number },
          { name: "lon", ...number },
        ],
      },
    };
    const row = [
      { name: "sku", type: "string", optional: false },
      { name: "count", type: "integer", optional: true, default: 1 },
    ];
    expect(read(text)).toEqual({
      form: "path",
      parameters: [
        { name: "address", optional: true, type: { record: [city, geo] } },
        { name: "rows", optional: false, type: { list: { type: { record: row } } } },
      ],
      result: { type: { record: [{ name: "done", type: "boolean", optional: false }] } },
      effect: false,
    });
  });

  it("accepts any object for a node and only an empty one for an empty bracket", () => {
    expect(read("(a::Object)==>(::String)").parameters[0]?.type).toBe("object");
    expect(read("(a::Object)==>(::String) [a:Object]").parameters[0]?.type).toEqual({ record: [] });
  });

  it.each([
    ["(a::String)", "missing-result 1:1"],
    ["(a::String)==>()", "missing-result 1:15"],
    ["(::String)==>(::String)", "unnamed-parameter 1:1"],
    ["()==>(a::String)==>(::String)", "unnamed-parameter 1:1"],
    ["(a)==>(::String)", "missing-type 1:2"],
    ["(a::String::Text)==>(::String)", "several-types 1:11"],
    ["(a::Strng)==>(::String)", "unknown-type 1:3"],
    ["(a::String)==>(::Foo)", "unknown-type 1:16"],
    ["(a::String)==>(a::Integer)==>(::String)", "duplicate-parameter 1:16"],
    ['(a::Integer {default: "x"})==>(::String)', "wrong-default 1:23"],
    ["(a::Integer {default: 1.5})==>(::String)", "wrong-default 1:23"],
    ["(a::Integer {minimum: 2, default: 1})==>(::String)", "wrong-default 1:35"],
    ['(a::String {enum: ["x"], default: "y"})==>(::String)', "wrong-default 1:35"],
    ['(a::Array {elementType: "Int", default: [1, true]})==>(::String)', "wrong-default 1:41"],
    ["(a::Integer {default: 1..2})==>(::String)", "wrong-value 1:23"],
    ["(a::Integer {default: 5kg})==>(::String)", "wrong-value 1:23"],
    ["(a::Integer {default: 9007199254740993})==>(::String)", "wrong-value 1:23"],
    ["(a::String {default: json`{`})==>(::String)", "wrong-value 1:22"],
    ["(a::Integer {enum: [1, x]})==>(::String)", "wrong-enum 1:20"],
    ["(a::String {minimum: 1})==>(::String)", "wrong-constraint 1:22"],
    ['(a::String {elementType: "Int"})==>(::String)', "wrong-value 1:26"],
    ['(a::Array {elementType: "Foo"})==>(::String)', "unknown-type 1:25"],
    ["(a::String {optional: 1})==>(::String)", "wrong-value 1:23"],
    ["(a::String {optional: false, default: x})==>(::String)", "wrong-value 1:23"],
    ["(a::String {dfault: 1})==>(::String)", "unknown-key 1:21"],
    ["(a::String)==>(::String {default: x})", "wrong-default 1:35"],
    ["(a::String)<==(::String)", "wrong-arrow 1:12"],
    ["(a::String)--(::String)", "wrong-arrow 1:12"],
    ["(a::String)=[:Calls]=>(::String)", "wrong-arrow 1:12"],
    ["(a::Object)==>(::String) [b:Object | (c::String)]", "unused-shape 1:26"],
    ["(a::Object)==>(::String) [a:Array | (::String)]", "wrong-shape 1:26"],
    ["(a::Array)==>(::String) [a:Array | (::String), (::Integer)]", "wrong-shape 1:48"],
    ["(a::Object)==>(::String) [a:Object | (b::String)==>(::String)]", "wrong-shape 1:38"],
    ["(a::Object)==>(::String) [a:Object | (b::String), (b::String)]", "duplicate-parameter 1:52"],
    ["(`__proto__`::String)==>(::String)", "refused-name 1:2"],
    ["(a::String)==>(::String) (b::String)==>(::String)", "signature-syntax 1:26"],
    ['(a::String {default: "x",})==>(::String)', "trailing-comma 1:25"],
  ])("is rejected with a position: %s", (text, first) => {
    expect(complaints(text)[0]).toBe(first);
  });

  it("is read from a document path like from text", () => {
    const text = '[t:Tool {description: "d"} | (a::Object)==>(::String), [a:Object | (b::String)]]';
    const reading = readGram(text);
    const item = reading.ok ? reading.document.items[0] : undefined;
    if (item?.kind !== "bracket") throw new Error("no bracket");
    const [path, shape] = item.elements;
    if (path?.kind !== "path" || shape?.kind !== "bracket") throw new Error("other parts");
    expect(signatureOfPath(path, [shape])).toEqual({
      ok: true,
      signature: read("(a::Object)==>(::String) [a:Object | (b::String)]"),
    });
  });
});

it("a signature is deeply frozen", () => {
  const signature = read("(u: {a: [Text]}) --> IO Text");
  const type = signature.parameters[0]?.type as { record: object[] };
  expect([signature, signature.parameters, type.record, type.record[0]].every(Object.isFrozen)).toBe(true);
});

it("any text is read without throwing, and each error has a position within the text", () => {
  const piece = fc.constantFrom(
    ..."(){}[]:,|`\"' \n",
    ...[
      "-->",
      "==>",
      "::",
      "name",
      "Text",
      "Maybe",
      "IO",
      "String",
      "Object",
      "default: 1",
      "(a::String)",
      "ü",
      "\\",
    ],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join("");
      const reading = readSignature(text);
      if (reading.ok) return;
      expect(reading.diagnostics.length).toBeGreaterThan(0);
      for (const { line, column, offset } of reading.diagnostics) {
        expect(offset).toBeLessThanOrEqual(text.length);
        expect(line).toBeLessThanOrEqual(text.split("\n").length);
        expect(column).toBeGreaterThan(0);
      }
    }),
    { numRuns: 2_000 },
  );
});
