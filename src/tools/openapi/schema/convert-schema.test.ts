import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../base/json/json-value.ts";
import { compileSchema } from "../../../base/schema/compile-schema.ts";
import type { JsonSchema } from "../../../types/json.ts";
import type { OpenApiDocument } from "../read-document.ts";
import { documentSchemas } from "./document-schemas.ts";

interface Scene {
  readonly version?: OpenApiDocument["version"];
  readonly side?: "input" | "output" | "lax-output";
  readonly schemas?: JsonObject;
}

const convert = (schema: unknown, { version = "3.0", side = "input", schemas = {} }: Scene = {}) => {
  const losses: string[] = [];
  const document = { version, root: { components: { schemas } } };
  const draft = documentSchemas(document, side).draft(
    (pointer, what) => losses.push(`${pointer} ${what}`),
    "/op",
  );
  const made = draft.finish({ type: "object", properties: { value: draft.convert(schema, "") } });
  const { value } = made.properties as { readonly value: JsonSchema };
  return { value, made, losses, takes: (given: unknown) => compileSchema(made)({ value: given }).ok };
};

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

describe("OpenAPI schema conversion", () => {
  it.each<[string, JsonObject, JsonObject, Scene]>([
    [
      "nullable",
      { type: "string", nullable: true, enum: ["a"] },
      { type: ["string", "null"], enum: ["a", null] },
      {},
    ],
    ["nullable without a type", { nullable: true }, {}, {}],
    [
      "a boolean exclusive limit",
      { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false },
      { type: "number", exclusiveMinimum: 1, maximum: 5 },
      {},
    ],
    [
      "a numeric exclusive limit",
      { type: "number", exclusiveMinimum: 1 },
      { type: "number", exclusiveMinimum: 1 },
      { version: "3.1" },
    ],
    ["an example", { type: "string", example: "x" }, { type: "string", examples: ["x"] }, {}],
    ["an unknown type", { type: "int" }, { type: "integer" }, {}],
    [
      "enum values that YAML read as numbers",
      { type: "string", enum: [1, true] },
      { type: "string", enum: ["1", "true"] },
      {},
    ],
    ["a quoted limit", { type: "string", maxLength: "5" }, { type: "string", maxLength: 5 }, {}],
    [
      "a list of schemas for items",
      { type: "array", items: [{ type: "string" }] },
      { type: "array", prefixItems: [{ type: "string" }] },
      {},
    ],
  ])("converts %s", (_, schema, expected, scene) => {
    expect(convert(schema, scene).value).toEqual(expected);
  });

  it("applies all keywords next to a reference in 3.1 and only the description in 3.0", () => {
    const schemas = { A: { type: "string" } };
    const schema = { ...ref("A"), description: "Mine.", maxLength: 2 };
    expect(convert(schema, { schemas }).value).toEqual({ $ref: "#/$defs/A", description: "Mine." });
    expect(convert(schema, { schemas, version: "3.1" }).value).toEqual({
      $ref: "#/$defs/A",
      description: "Mine.",
      maxLength: 2,
    });
  });
});

describe("OpenAPI input schema", () => {
  it("describes a default without filling it in", () => {
    const { value, made } = convert({ type: "integer", default: 10 });
    expect(value).toEqual({ type: "integer", description: "The service's default is 10." });
    expect(compileSchema({ ...made, properties: { value } })({})).toEqual({ ok: true, value: {} });
  });

  it("omits readOnly properties even when another part of allOf requires them", () => {
    const schemas = {
      Base: { type: "object", properties: { id: { type: "string", readOnly: true }, at: ref("Stamp") } },
      Stamp: { type: "string", readOnly: true },
      Asks: { type: "object", required: ["id", "name"], properties: { name: { type: "string" } } },
    };
    const { takes } = convert({ allOf: [ref("Base"), ref("Asks"), { required: ["at"] }] }, { schemas });
    expect(takes({ name: "x" })).toBe(true);
    expect(takes({ id: "1" })).toBe(false);
  });

  it("keeps writeOnly properties, which the output schema omits", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string", writeOnly: true }, b: { type: "string" } },
      required: ["a", "b"],
    };
    expect(convert(schema).value.required).toEqual(["a", "b"]);
    const { value } = convert(schema, { side: "output" });
    expect(value).toMatchObject({ required: ["b"], properties: { b: { type: "string" } } });
    expect(value.properties).not.toHaveProperty("a");
  });

  it("validates recursive schemas at any depth", () => {
    const schemas = {
      Node: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, next: ref("Node") },
      },
    };
    const { takes, losses } = convert(ref("Node"), { schemas });
    expect(losses).toEqual([]);
    expect(takes({ name: "a", next: { name: "b", next: { name: "c" } } })).toBe(true);
    expect(takes({ name: "a", next: { name: "b", next: {} } })).toBe(false);
  });

  it("uses a mapped discriminator to choose between matching branches", () => {
    const animal = { type: "object", properties: { kind: { type: "string" } }, required: ["kind"] };
    const schema = {
      oneOf: [ref("Cat"), ref("Dog")],
      discriminator: {
        propertyName: "kind",
        mapping: { cat: "#/components/schemas/Cat", dog: "#/components/schemas/Dog" },
      },
    };
    const { takes } = convert(schema, { schemas: { Cat: animal, Dog: animal } });
    expect([takes({ kind: "cat" }), takes({ kind: "dog" }), takes({ kind: "cow" })]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("describes and reports a pattern that cannot be checked", () => {
    const { value, losses } = convert({ type: "string", pattern: "^(?=a)b$" });
    expect(value).toEqual({ type: "string", description: "It must match ^(?=a)b$" });
    expect(losses).toEqual([
      "/pattern The pattern cannot be checked; it is only mentioned in the description.",
    ]);
  });

  it("leaves external and broken references open, reports them and fetches nothing", () => {
    const { value, losses } = convert({
      type: "object",
      properties: {
        a: { $ref: "http://127.0.0.1:1/x.json" },
        b: { $ref: "other.yaml#/B" },
        c: ref("Gone"),
        d: { $ref: "#bad" },
      },
    });
    expect(value.properties).toEqual({ a: {}, b: {}, c: {}, d: {} });
    expect(losses.map((loss) => loss.split(" ").slice(0, 5).join(" "))).toEqual([
      "/properties/a Any value is accepted:",
      "/properties/b Any value is accepted:",
      "/properties/c Any value is accepted:",
      "/properties/d Any value is accepted:",
    ]);
  });

  it("leaves the farthest parts of a very large schema open", () => {
    const names = Array.from({ length: 400 }, (_, index) => `S${index}`);
    const schemas = Object.fromEntries(
      names.map((name, index) => [
        name,
        { type: "object", description: "x".repeat(400), properties: { next: ref(names[index + 1] ?? "S0") } },
      ]),
    );
    const { made, losses, takes } = convert(ref("S0"), { schemas });
    expect(JSON.stringify(made).length).toBeLessThan(64 * 1024);
    expect(losses).toHaveLength(1);
    expect(losses[0]).toMatch(
      /^\/op The schema is too large; any value is accepted more than \d+ references deep\.$/,
    );
    expect(takes({ next: { next: {} } })).toBe(true);
    expect(takes({ next: { next: 1 } })).toBe(false);
  });
});

describe("lax output schema", () => {
  const schema = {
    type: "object",
    required: ["id"],
    additionalProperties: false,
    properties: {
      id: { type: "integer" },
      state: { type: "string", enum: ["on"], maxLength: 2 },
      list: { type: "array", items: { type: "string" }, minItems: 1 },
    },
  };

  it.each([
    [{}],
    [null],
    [{ id: null, state: "something new", list: [], more: 1 }],
    [{ id: 1.5, list: [null] }],
  ])("accepts %j, which the strict one rejects", (value) => {
    expect(convert(schema, { side: "lax-output" }).takes(value)).toBe(true);
    expect(convert(schema, { side: "output" }).takes(value)).toBe(false);
  });

  it.each([[[]], ["text"], [{ id: "1" }], [{ list: "a" }], [{ list: [1] }]])(
    "rejects another shape: %j",
    (value) => {
      expect(convert(schema, { side: "lax-output" }).takes(value)).toBe(false);
    },
  );
});
