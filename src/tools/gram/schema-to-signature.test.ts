import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../base/json/canonical-json.ts";
import type { Json, JsonSchema } from "../../types/json.ts";
import { schemaToSignature } from "./schema-to-signature.ts";
import { signatureToOutputSchema, signatureToSchema } from "./signature-to-schema.ts";

const closed = (
  properties: JsonSchema,
  required: readonly string[] = Object.keys(properties),
): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const text = { type: "string" };

describe("schemaToSignature", () => {
  it.each([
    [closed({}), "() --> IO Text", "()==>(::String)"],
    [closed({ name: text }), "(name: Text) --> IO Text", "(name::String)==>(::String)"],
    [
      closed({ a: { type: "array", items: text }, b: { type: "number" } }, ["a"]),
      "(a: [Text], b: Maybe Double) --> IO Text",
      '(a::Array {elementType: "String"})==>(b::Number {optional: true})==>(::String)',
    ],
    [
      closed({ u: closed({ a: text }, []) }),
      "(u: {a: Maybe Text}) --> IO Text",
      "(u::Object)==>(::String)\n[u::Object | (a::String {optional: true})]",
    ],
  ])("writes both forms: %j", (schema, classic, path) => {
    expect(schemaToSignature(schema)).toEqual({ ok: true, text: classic });
    expect(schemaToSignature(schema, { form: "classic" })).toEqual({ ok: true, text: classic });
    expect(schemaToSignature(schema, { form: "path" })).toEqual({ ok: true, text: path });
  });

  it("returns a path when the classic form cannot express the schema", () => {
    const schema = closed({ name: { type: "string", default: "world" } }, []);
    expect(schemaToSignature(schema)).toEqual({
      ok: true,
      text: '(name::String {default: "world"})==>(::String)',
    });
    expect(schemaToSignature(schema, { form: "classic" })).toEqual({
      ok: false,
      reason: '"default" at /properties/name cannot be expressed in the classic form.',
    });
  });

  it("uses the output schema as result type", () => {
    const output = closed({ done: { type: "boolean" } });
    expect(schemaToSignature(closed({}), { output })).toEqual({ ok: true, text: "() --> IO {done: Bool}" });
    const nothing = { output: { type: "null" } };
    expect(schemaToSignature(closed({}), nothing)).toEqual({ ok: true, text: "() --> IO ()" });
    expect(schemaToSignature(closed({}), { ...nothing, form: "path" })).toEqual({
      ok: true,
      text: "()==>(::Null)",
    });
  });

  it("keeps the order of required", () => {
    const schema = closed({ a: text, b: text, c: text }, ["c", "a"]);
    expect(schemaToSignature(schema)).toEqual({
      ok: true,
      text: "(c: Text, b: Maybe Text, a: Text) --> IO Text",
    });
  });
});

describe("schemaToSignature with an unsupported schema", () => {
  it.each<[unknown, string]>([
    [{ type: "object" }, '"properties" at the root is missing'],
    [{ type: "object", properties: {} }, '"additionalProperties" at the root is not false'],
    [
      { type: "object", properties: {}, additionalProperties: false },
      '"required" at the root must be a list',
    ],
    [text, '"properties" at the root is missing'],
    [{ anyOf: [] }, '"type" at the root is missing'],
    [{ ...closed({}), description: "d" }, '"description" at the root cannot be expressed in a signature'],
    [{ ...closed({}), $schema: "x" }, '"$schema" at the root cannot be expressed in a signature'],
    [
      closed({ a: { type: "string", minLength: 1 } }),
      '"minLength" at /properties/a cannot be expressed in a signature',
    ],
    [closed({ a: { type: "any" } }), '"type" at /properties/a is "any"'],
    [closed({ a: { type: ["null", "null"] } }), '"type" at /properties/a allows null'],
    [closed({ a: { type: ["string", "null"] } }), '"type" at /properties/a allows null'],
    [closed({ a: { type: ["string", "integer"] } }), '"type" at /properties/a is ["string","integer"]'],
    [closed({ a: true as never }), "at /properties/a is true"],
    [closed({ a: { type: "string", default: "x" } }), '"default" at /properties/a is on a required property'],
    [
      closed({ a: { type: "string", default: 1 } }, []),
      '"default" at /properties/a does not have the declared type',
    ],
    [closed({ a: { type: "string", enum: [1] } }), '"enum" at /properties/a has values of another type'],
    [closed({ a: { type: "string", enum: ["x", "x"] } }), '"enum" at /properties/a has a duplicate value'],
    [closed({ a: { type: "string", minimum: 1 } }), '"minimum" at /properties/a cannot be expressed'],
    [closed({ a: text }, ["a", "b"]), '"required" at the root names "b"'],
    [closed({ a: text }, ["a", "a"]), '"required" at the root must be a list of distinct names'],
    [closed({ "": text }), '"properties" at the root has the name ""'],
    [
      closed({ "a/b": { type: "array", items: { $ref: "#" } } }),
      '"type" at /properties/a~1b/items is missing',
    ],
    [
      closed({ a: { type: "object", properties: {} } }),
      '"additionalProperties" at /properties/a is not false',
    ],
    [Number.NaN, "is not JSON"],
    [undefined, "is not JSON"],
  ])("reports pointer and keyword: %j", (schema, reason) => {
    const written = schemaToSignature(schema as JsonSchema);
    expect(written.ok ? written.text : written.reason).toContain(reason);
  });

  it("rejects cyclic and very deep schemas without a stack overflow", () => {
    const circle: Record<string, unknown> = { type: "array" };
    circle.items = circle;
    expect(schemaToSignature(closed({ a: circle })).ok).toBe(false);
    let deep: JsonSchema = text;
    for (let level = 0; level < 10_000; level++) deep = { type: "array", items: deep };
    expect(schemaToSignature(closed({ a: deep })).ok).toBe(false);
  });
});

const name = fc
  .oneof(
    fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.@-]{0,8}$/),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }),
  )
  .filter((each) => each !== "__proto__");
const described = fc.option(fc.string({ unit: "grapheme", maxLength: 12 }), { nil: undefined });
const number = fc
  .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((each) => each + 0);

interface Typed {
  readonly schema: JsonSchema;
  readonly value: fc.Arbitrary<Json>;
}

const typed = (keywords: fc.Arbitrary<JsonSchema>, value: fc.Arbitrary<Json>): fc.Arbitrary<Typed> =>
  fc.tuple(keywords, described).map(([schema, description]) => ({
    schema: { ...schema, ...(description === undefined ? {} : { description }) },
    value,
  }));

const { shape } = fc.letrec<{ shape: Typed; record: Typed }>((tie) => ({
  shape: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    typed(
      fc.record(
        { type: fc.constant("string"), pattern: fc.constant("^a"), format: fc.string() },
        { requiredKeys: ["type"] },
      ),
      fc.string(),
    ),
    typed(
      fc
        .uniqueArray(fc.string({ maxLength: 4 }), { minLength: 1, maxLength: 3 })
        .map((values) => ({ type: "string", enum: values })),
      fc.string(),
    ),
    typed(
      fc.record(
        { type: fc.constantFrom("number", "integer"), minimum: number, maximum: number },
        { requiredKeys: ["type"] },
      ),
      fc.integer(),
    ),
    typed(fc.record({ type: fc.constant("boolean") }), fc.boolean()),
    typed(
      fc.record({ type: fc.constant("object") }),
      fc.dictionary(
        fc.string({ minLength: 1 }).filter((each) => each !== "__proto__"),
        fc.jsonValue() as fc.Arbitrary<Json>,
        { maxKeys: 2, noNullPrototype: true },
      ) as fc.Arbitrary<Json>,
    ),
    typed(
      fc.record({ type: fc.constant("array") }),
      fc.array(fc.jsonValue() as fc.Arbitrary<Json>, { maxLength: 2 }),
    ),
    tie("shape").map(({ schema }) => ({ schema: { type: "array", items: schema }, value: fc.constant([]) })),
    fc.constant({
      schema: { type: "array", items: { type: ["integer", "null"] } },
      value: fc.constant([1, null]),
    }),
    tie("record"),
  ),
  record: fc
    .uniqueArray(fc.tuple(name, tie("shape"), fc.boolean()), { selector: ([each]) => each, maxLength: 4 })
    .map((fields) => ({
      schema: closed(
        Object.fromEntries(fields.map(([each, { schema }]) => [each, schema])),
        fields.filter(([, , required]) => required).map(([each]) => each),
      ),
      value: fc.constant({}),
    })),
}));

const input = fc
  .uniqueArray(
    fc
      .tuple(name, shape, fc.constantFrom("required", "optional", "default"))
      .chain(([each, { schema, value }, how]) =>
        fc.tuple(
          fc.constant(each),
          fc.constant(schema),
          how === "default" ? value.map((given) => ({ given })) : fc.constant(how),
        ),
      ),
    { selector: ([each]) => each, maxLength: 4 },
  )
  .map((fields) =>
    closed(
      Object.fromEntries(
        fields.map(([each, schema, how]) => [
          each,
          typeof how === "object" ? { ...schema, default: how.given } : schema,
        ]),
      ),
      fields.filter(([, , how]) => how === "required").map(([each]) => each),
    ),
  );

it("a signature written in either form gives the same schemas again", () => {
  let written = 0;
  fc.assert(
    fc.property(
      input,
      shape,
      fc.constantFrom("path", "classic", undefined),
      (schema, { schema: output }, form) => {
        const signature = schemaToSignature(schema, { output, ...(form === undefined ? {} : { form }) });
        if (!signature.ok) return;
        written++;
        expect(canonicalJson(signatureToSchema(signature.text)), signature.text).toBe(canonicalJson(schema));
        expect(canonicalJson(signatureToOutputSchema(signature.text)), signature.text).toBe(
          canonicalJson(output),
        );
      },
    ),
    { numRuns: 1_000 },
  );
  expect(written).toBeGreaterThan(300);
});
