import { describe, expect, it } from "vitest";
import { ToolDefinitionError } from "../../types/errors.ts";
import type { JsonSchema } from "../../types/json.ts";
import { schemaLimits } from "./plain/plain-schema.ts";
import { inspectSchema } from "./standard-schema.ts";

const refusal = (schema: unknown): { code: string; pointer: string | undefined; message: string } => {
  try {
    inspectSchema(schema as JsonSchema);
  } catch (error) {
    if (!(error instanceof ToolDefinitionError)) throw error;
    return { code: error.code, pointer: error.failure.issues?.[0]?.pointer, message: error.message };
  }
  return { code: "accepted", pointer: undefined, message: "" };
};

/** Wraps the value in a proxy that counts property reads. */
const watched = <T extends object>(value: T): { readonly value: T; readonly reads: () => number } => {
  let reads = 0;
  const watch = (target: object): object =>
    new Proxy(target, {
      get: (object, key) => {
        reads++;
        const member: unknown = Reflect.get(object, key);
        return typeof member === "object" && member !== null ? watch(member) : member;
      },
    });
  return { value: watch(value) as T, reads: () => reads };
};

describe("schema bombs", () => {
  it("rejects references that double at every step without expanding them", () => {
    const $defs: Record<string, unknown> = { d27: { type: "string" } };
    for (let step = 0; step < 27; step++) {
      const $ref = `#/$defs/d${step + 1}`;
      $defs[`d${step}`] = { allOf: [{ $ref }, { $ref }] };
    }
    const { value, reads } = watched({ $ref: "#/$defs/d0", $defs });
    expect(refusal(value)).toMatchObject({ code: "schema_too_complex" });
    expect(reads()).toBeLessThan(1_000);
  });

  it("stops at the depth limit in a schema nested 2,000 levels deep", () => {
    let schema: object = { type: "string" };
    for (let level = 0; level < 2_000; level++) schema = { properties: { a: schema } };
    const { value, reads } = watched(schema);
    expect(refusal(value)).toMatchObject({ code: "schema_too_complex" });
    expect(refusal(value).message).toContain(`nested deeper than ${schemaLimits.depth} levels`);
    expect(reads()).toBeLessThan(1_000);
  });

  it("stops in an enum of 100,000 values and rejects one of 1,001 by its length", () => {
    const { value, reads } = watched({
      enum: Array.from({ length: 100_000 }, (_, index) => `value ${index}`),
    });
    expect(refusal(value)).toMatchObject({ code: "schema_too_complex" });
    expect(reads()).toBeLessThan(50_000);
    expect(
      refusal({ properties: { a: { enum: Array.from({ length: 1_001 }, (_, index) => index) } } }),
    ).toEqual({
      code: "schema_too_complex",
      pointer: "/properties/a/enum",
      message: "The schema is too complex at /properties/a/enum: it lists more than 1000 values.",
    });
  });

  it("rejects 100,000 properties without reading them and 2,001 small ones", () => {
    const huge = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`p${index}`, true]));
    const { value, reads } = watched({ properties: huge });
    expect(refusal(value)).toMatchObject({ code: "schema_too_complex" });
    expect(reads()).toBeLessThan(10);
    const many = Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [`p${index}`, {}]));
    expect(refusal({ properties: many }).message).toContain("more than 2000 subschemas");
  });

  it("rejects cyclic schemas and schemas with one part shared many times", () => {
    const cycle: Record<string, unknown> = {};
    cycle.properties = { a: cycle };
    expect(refusal(cycle)).toMatchObject({ code: "schema_too_complex" });
    let shared: unknown = { type: "string" };
    for (let level = 0; level < 30; level++) shared = { allOf: [shared, shared] };
    expect(refusal(shared)).toMatchObject({ code: "schema_too_complex" });
  });

  it("rejects long chains of references and deeply nested unevaluated keywords", () => {
    const $defs: Record<string, unknown> = { d1000: true };
    for (let step = 0; step < 1_000; step++) $defs[`d${step}`] = { $ref: `#/$defs/d${step + 1}` };
    expect(refusal({ $ref: "#/$defs/d0", $defs }).message).toContain("chains of more than 128 references");
    let nest: object = { type: "object" };
    for (let level = 0; level < 25; level++) nest = { anyOf: [nest, true], unevaluatedProperties: false };
    expect(refusal(nest)).toMatchObject({ code: "schema_too_complex" });
  });
});

describe("schema references", () => {
  it.each([
    [{ $ref: "#" }, ""],
    [{ anyOf: [{ type: "string" }, { $ref: "#" }] }, ""],
    [
      { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { not: { $ref: "#/$defs/a" } } } },
      "/$defs/a",
    ],
  ])("%j is rejected because it refers to itself at the same value", (schema, pointer) => {
    expect(refusal(schema)).toMatchObject({ code: "refused_schema", pointer });
  });

  it.each([
    [
      { properties: { a: { $ref: "https://example.com/a.json" } } },
      "/properties/a/$ref",
      "references are not fetched",
    ],
    [{ $ref: "other.json#/$defs/a" }, "/$ref", "references are not fetched"],
    [{ $ref: "file:///etc/passwd" }, "/$ref", "references are not fetched"],
    [{ items: { $ref: "#/$defs/none" } }, "/items/$ref", "which does not exist"],
    [{ $ref: "#none" }, "/$ref", "no anchor"],
    [{ $ref: "#/%zz" }, "/$ref", "percent-encoded"],
    [{ $ref: 1 }, "/$ref", "a reference must be a string"],
    [{ $ref: "#/title", title: "text" }, "/title", "not a schema"],
    [{ $ref: "http://a\n.example" }, "/$ref", "not a URI"],
  ])("%j is rejected with its pointer", (schema, pointer, why) => {
    const { code, ...rest } = refusal(schema);
    expect([code, rest.pointer]).toEqual(["refused_schema", pointer]);
    expect(rest.message).toContain(why);
  });

  it("accepts recursion that descends one level in the value", () => {
    expect(refusal({ properties: { children: { items: { $ref: "#" } } } }).code).toBe("accepted");
  });

  it("finds a definition under an unknown keyword unless it has an identifier", () => {
    expect(refusal({ $ref: "#/components/a", components: { a: { type: "string" } } }).code).toBe("accepted");
    expect(
      refusal({ $ref: "#/components/a", components: { a: { $id: "https://a.example/" } } }),
    ).toMatchObject({
      code: "refused_schema",
      pointer: "/components/a/$id",
    });
  });

  it("rejects two schemas with the same name", () => {
    const lookalike = { $id: "https://a.example/twin" };
    expect(refusal({ $defs: { a: lookalike, b: { ...lookalike } } }).message).toContain("exists twice");
    expect(refusal({ $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } }).message).toContain(
      "exists twice",
    );
  });
});

describe("schema dialects", () => {
  it.each([
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-04/schema#",
  ])("accepts %s", ($schema) => expect(refusal({ $schema }).code).toBe("accepted"));

  it.each(["http://json-schema.org/draft-03/schema#", "https://example.com/own-dialect", 7])(
    "rejects the unknown dialect %s",
    ($schema) => expect(refusal({ $schema })).toMatchObject({ code: "refused_schema", pointer: "/$schema" }),
  );

  it("requires an identifier for a subschema of another dialect", () => {
    const $schema = "http://json-schema.org/draft-07/schema#";
    expect(refusal({ properties: { a: { $schema } } })).toMatchObject({ pointer: "/properties/a/$schema" });
    expect(refusal({ properties: { a: { $schema, $id: "https://a.example/" } } }).code).toBe("accepted");
  });

  it("reports that a list under items is draft-07", () => {
    expect(refusal({ items: [{ type: "string" }] }).message).toContain('write "prefixItems"');
  });

  it.each([
    ["https://json-schema.org/draft/2019-09/schema", "$recursiveRef"],
    ["http://json-schema.org/draft-04/schema#", "id"],
    ["http://json-schema.org/draft-04/schema#", "exclusiveMinimum"],
  ])("rejects keywords whose meaning in %s is not supported: %s", ($schema, keyword) => {
    expect(refusal({ $schema, items: { [keyword]: "#" } })).toMatchObject({ pointer: `/items/${keyword}` });
    expect(refusal({ $schema, properties: { [keyword]: { type: "string" } } }).code).toBe("accepted");
  });
});

describe("malformed schemas", () => {
  it.each<[unknown, string]>([
    [{ type: "text" }, "/type"],
    [{ type: [] }, "/type"],
    [{ properties: { a: 5 } }, "/properties/a"],
    [{ properties: [] }, "/properties"],
    [{ properties: { a: { required: true } } }, "/properties/a/required"],
    [{ minLength: -1 }, "/minLength"],
    [{ maxItems: 1.5 }, "/maxItems"],
    [{ minimum: "3" }, "/minimum"],
    [{ multipleOf: 0 }, "/multipleOf"],
    [{ maximum: Number.POSITIVE_INFINITY }, "/maximum"],
    [{ enum: "a" }, "/enum"],
    [{ anyOf: [] }, "/anyOf"],
    [{ uniqueItems: 1 }, "/uniqueItems"],
    [{ pattern: "(" }, "/pattern"],
    [{ patternProperties: { "(?=a)": true } }, "/patternProperties/(?=a)"],
    [{ dependentRequired: { a: "b" } }, "/dependentRequired/a"],
    [{ $id: 1 }, "/$id"],
    [{ $id: "https://a.example/#part" }, "/$id"],
    [{ $anchor: "a b" }, ""],
    [{ default: () => 1 }, "/default"],
    [{ default: new Date() }, "/default"],
    [7, ""],
  ])("rejects %j with its pointer", (schema, pointer) => {
    expect(refusal(schema)).toMatchObject({ code: "refused_schema", pointer });
  });

  it("ignores unknown keywords", () => {
    expect(refusal({ nullable: "yes", "x-order": [1], example: { $ref: 5 } }).code).toBe("accepted");
  });
});
