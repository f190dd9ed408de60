import * as Schema from "effect/Schema";
import { describe, expect, it } from "vitest";
import { type EffectSchema, isEffectSchema, readEffectSchema } from "./effect-schema.ts";

const inputOf = (schema: EffectSchema) => readEffectSchema(schema, "input");
const outputOf = (schema: EffectSchema) => readEffectSchema(schema, "output");

describe("Effect Schema", () => {
  it("is recognized without loading effect/Schema", () => {
    class Place extends Schema.Class<Place>("Place")({ city: Schema.String }) {}
    expect([Schema.String, Schema.Struct({}), Place].map(isEffectSchema)).toEqual([true, true, true]);
    expect([{}, null, "string", () => 1, { ast: {} }].map(isEffectSchema)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it("becomes a number schema with its checks", () => {
    const { schema } = inputOf(
      Schema.Struct({
        any: Schema.Number,
        many: Schema.Array(Schema.Number),
        more: Schema.Number.check(Schema.isGreaterThan(3)),
        whole: Schema.Int,
        bounded: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
        maybe: Schema.NullOr(Schema.Number),
        either: Schema.Union([Schema.Number, Schema.String]),
      }),
    );
    expect(schema).toEqual({
      type: "object",
      properties: {
        any: { type: "number" },
        many: { type: "array", items: { type: "number" } },
        more: { type: "number", exclusiveMinimum: 3 },
        whole: { type: "integer" },
        bounded: { type: "integer", minimum: 1, maximum: 5 },
        maybe: { anyOf: [{ type: "number" }, { type: "null" }] },
        either: { anyOf: [{ type: "number" }, { type: "string" }] },
      },
      required: ["any", "many", "more", "whole", "bounded", "maybe", "either"],
    });
  });

  it("becomes an optional property without null unless null is allowed", () => {
    const { schema } = inputOf(
      Schema.Struct({
        optional: Schema.optional(Schema.String),
        key: Schema.optionalKey(Schema.String),
        number: Schema.optional(Schema.Number),
        described: Schema.optional(Schema.String).annotate({ description: "A note" }),
        nullable: Schema.optional(Schema.NullOr(Schema.String)),
        nullableKey: Schema.optionalKey(Schema.NullOr(Schema.String)),
        nested: Schema.optional(Schema.Struct({ deep: Schema.optional(Schema.Number) })),
      }),
    );
    expect(schema).toEqual({
      type: "object",
      properties: {
        optional: { type: "string" },
        key: { type: "string" },
        number: { type: "number" },
        described: { type: "string", description: "A note" },
        nullable: { anyOf: [{ type: "string" }, { type: "null" }] },
        nullableKey: { anyOf: [{ type: "string" }, { type: "null" }] },
        nested: { type: "object", properties: { deep: { type: "number" } } },
      },
    });
  });

  it("becomes the encoded form as input and the decoded form as output", () => {
    const schema = Schema.Struct({ count: Schema.FiniteFromString });
    expect(inputOf(schema).schema).toEqual({
      type: "object",
      properties: { count: { type: "string" } },
      required: ["count"],
    });
    expect(outputOf(schema).schema).toEqual({
      type: "object",
      properties: { count: { type: "number" } },
      required: ["count"],
    });
  });

  it("becomes a JSON object schema for a class", () => {
    class Place extends Schema.Class<Place>("Place")({
      city: Schema.String.annotate({ description: "The city" }),
      zip: Schema.optional(Schema.Number),
    }) {}
    expect(inputOf(Place).schema).toEqual({
      type: "object",
      properties: { city: { type: "string", description: "The city" }, zip: { type: "number" } },
      required: ["city"],
    });
  });

  it("becomes references to the root when it is recursive", () => {
    interface Tree {
      readonly value: number;
      readonly children: readonly Tree[];
    }
    const Tree: Schema.Codec<Tree> = Schema.Struct({
      value: Schema.Number,
      children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree)),
    });
    expect(inputOf(Tree).schema).toEqual({
      type: "object",
      properties: { value: { type: "number" }, children: { type: "array", items: { $ref: "#" } } },
      required: ["value", "children"],
    });
  });

  it("keeps maps, tuples, literals and descriptions", () => {
    const { schema } = inputOf(
      Schema.Struct({
        counts: Schema.Record(Schema.String, Schema.Number),
        point: Schema.Tuple([Schema.Number, Schema.Number]),
        unit: Schema.Literals(["c", "f"]).annotate({ description: "Unit", default: "c" }),
        anything: Schema.Unknown,
      }).annotate({ description: "All of it" }),
    );
    expect(schema).toEqual({
      type: "object",
      description: "All of it",
      properties: {
        counts: { type: "object", additionalProperties: { type: "number" } },
        point: {
          type: "array",
          prefixItems: [{ type: "number" }, { type: "number" }],
          minItems: 2,
          maxItems: 2,
        },
        unit: { type: "string", enum: ["c", "f"], description: "Unit", default: "c" },
        anything: {},
      },
      required: ["counts", "point", "unit", "anything"],
    });
  });
});

describe("validation with an Effect Schema", () => {
  it("decodes input from JSON", () => {
    const { standard } = inputOf(Schema.Struct({ at: Schema.Date, count: Schema.FiniteFromString }));
    expect(standard.vendor).toBe("effect");
    expect(standard.validate({ at: "2026-01-02T00:00:00.000Z", count: "3", extra: 1 })).toEqual({
      value: { at: new Date("2026-01-02T00:00:00.000Z"), count: 3 },
    });
  });

  it("reports the path of every issue", () => {
    const { standard } = inputOf(Schema.Struct({ a: Schema.Struct({ b: Schema.Int }), c: Schema.String }));
    expect(standard.validate({ a: { b: 1.5 } })).toMatchObject({
      issues: [{ path: ["a", "b"] }, { path: ["c"] }],
    });
  });

  it("validates output and returns the JSON that its schema describes", () => {
    class Place extends Schema.Class<Place>("Place")({ city: Schema.String }) {}
    const { schema, standard } = outputOf(
      Schema.Struct({
        at: Schema.Date,
        place: Place,
        count: Schema.FiniteFromString,
        note: Schema.optional(Schema.String),
      }),
    );
    const at = new Date("2026-01-02T00:00:00.000Z");
    expect(schema).toMatchObject({ properties: { at: { type: "string" }, note: { type: "string" } } });
    expect(standard.validate({ at, place: { city: "Oslo" }, count: "3", note: undefined })).toEqual({
      value: { at: "2026-01-02T00:00:00.000Z", place: { city: "Oslo" }, count: 3 },
    });
  });

  it("rejects output with a number that JSON does not have", () => {
    const { standard } = outputOf(Schema.Struct({ at: Schema.Date, share: Schema.Number }));
    expect(standard.validate({ at: new Date(0), share: Number.NaN })).toMatchObject({ issues: [{}] });
  });
});
