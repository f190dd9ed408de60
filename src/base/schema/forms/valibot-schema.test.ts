import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { ToolDefinitionError } from "../../../types/errors.ts";
import { readValibotSchema, type ValibotSchema } from "./valibot-schema.ts";

const read = (schema: unknown, side: "input" | "output" = "input") =>
  readValibotSchema(schema as ValibotSchema, side);

describe("valibot schema", () => {
  it("becomes an equivalent JSON Schema", () => {
    const schema = v.object({
      city: v.pipe(v.string(), v.minLength(2), v.maxLength(80), v.description("The city")),
      mail: v.pipe(v.string(), v.email()),
      days: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(14)), 3),
      unit: v.picklist(["c", "f"]),
      note: v.nullable(v.string()),
      maybe: v.nullish(v.boolean()),
      tags: v.pipe(v.array(v.string()), v.minLength(1)),
      kind: v.literal("now"),
      either: v.union([v.string(), v.number()]),
      counts: v.record(v.string(), v.number()),
      point: v.strictTuple([v.number(), v.number()]),
      any: v.unknown(),
      inner: v.strictObject({ deep: v.exactOptional(v.null()) }),
    });
    expect(read(schema)).toEqual({
      type: "object",
      properties: {
        city: { type: "string", minLength: 2, maxLength: 80, description: "The city" },
        mail: { type: "string", format: "email" },
        days: { type: "integer", minimum: 1, maximum: 14, default: 3 },
        unit: { enum: ["c", "f"] },
        note: { anyOf: [{ type: "string" }, { type: "null" }] },
        maybe: { anyOf: [{ type: "boolean" }, { type: "null" }] },
        tags: { type: "array", items: { type: "string" }, minItems: 1 },
        kind: { const: "now" },
        either: { anyOf: [{ type: "string" }, { type: "number" }] },
        counts: { type: "object", additionalProperties: { type: "number" } },
        point: {
          type: "array",
          prefixItems: [{ type: "number" }, { type: "number" }],
          minItems: 2,
          maxItems: 2,
        },
        any: {},
        inner: { type: "object", properties: { deep: { type: "null" } }, additionalProperties: false },
      },
      required: ["city", "mail", "unit", "note", "tags", "kind", "either", "counts", "point", "any", "inner"],
    });
  });

  it("describes the value before a transformation as input and after it as output", () => {
    const schema = v.object({
      count: v.pipe(v.string(), v.minLength(1), v.transform(Number), v.number(), v.minValue(2)),
    });
    expect(read(schema)).toMatchObject({ properties: { count: { type: "string", minLength: 1 } } });
    expect(read(schema, "output")).toMatchObject({ properties: { count: { type: "number", minimum: 2 } } });
  });

  it("requires an output property that has an input default", () => {
    const schema = v.object({ days: v.optional(v.number(), 3), note: v.optional(v.string()) });
    expect(read(schema).required).toBeUndefined();
    expect(read(schema, "output").required).toEqual(["days"]);
  });

  it.each([
    ["a date", v.object({ at: v.date() }), "input", '"/properties/at" is of type date'],
    [
      "an unknown result",
      v.object({ n: v.pipe(v.string(), v.transform(Number)) }),
      "output",
      "ends in transform",
    ],
    ["an async check", v.objectAsync({ n: v.string() }), "input", "is async"],
  ] as const)("is rejected with position and remedy when it contains %s", (_, schema, side, message) => {
    expect(() => read(schema, side)).toThrow(ToolDefinitionError);
    expect(() => read(schema, side)).toThrow(message);
  });
});
