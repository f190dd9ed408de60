import { describe, expect, it } from "vitest";
import {
  blankFields,
  type FormSchema,
  initialValue,
  matchingChoiceIndex,
  toFieldShape,
} from "./form-schema.ts";

const kindOf = (schema: FormSchema, root: FormSchema = schema) => toFieldShape(schema, root).kind;

describe("form for a schema", () => {
  it("has a field for each plain type, and JSON for everything else", () => {
    expect(kindOf({ type: "string" })).toBe("text");
    expect(kindOf({ type: "integer" })).toBe("number");
    expect(kindOf({ type: "boolean" })).toBe("flag");
    expect(kindOf({ enum: [1, "a", null] })).toBe("choice");
    expect(kindOf({ type: "array", items: { type: "string" } })).toBe("list");
    expect(kindOf({ type: "object", properties: {} })).toBe("object");
    expect(kindOf({ type: ["string", "number"] })).toBe("json");
    expect(kindOf({ type: "object" })).toBe("json");
    expect(kindOf({})).toBe("json");
  });

  it("accepts null as a value of a field, however the schema writes it", () => {
    for (const schema of [{ type: ["string", "null"] }, { anyOf: [{ type: "string" }, { type: "null" }] }]) {
      expect(toFieldShape(schema, schema)).toMatchObject({ kind: "text", isNullable: true });
    }
  });

  it("follows references and stops at a circular one", () => {
    const root = { $defs: { id: { type: "string" }, loop: { $ref: "#/$defs/loop" } } } as FormSchema;
    expect(kindOf({ $ref: "#/$defs/id" }, root)).toBe("text");
    expect(kindOf({ $ref: "#/$defs/loop" }, root)).toBe("json");
    expect(kindOf({ $ref: "#/$defs/gone" }, root)).toBe("json");
  });

  it("selects the choice that fits the value, or the first one", () => {
    const choices: readonly FormSchema[] = [
      { type: "object", properties: { day: { type: "string" } }, required: ["day"] },
      { type: "object", properties: { hours: { type: "integer" } }, required: ["hours"] },
      { type: "string" },
    ];
    expect(matchingChoiceIndex({ hours: 2 }, choices, {})).toBe(1);
    expect(matchingChoiceIndex("soon", choices, {})).toBe(2);
    expect(matchingChoiceIndex(undefined, choices, {})).toBe(0);
    expect(matchingChoiceIndex(7, choices, {})).toBe(0);
  });

  it("starts with required values and defaults only", () => {
    const schema: FormSchema = {
      type: "object",
      properties: { id: { type: "string" }, days: { type: "integer", default: 3 }, note: { type: "string" } },
      required: ["id", "days"],
    };
    expect(initialValue(schema, schema)).toEqual({ days: 3 });
    const blank = { ...schema, properties: { ...schema.properties, id: { type: "string", minLength: 0 } } };
    expect(initialValue(blank, blank)).toEqual({ id: "", days: 3 });
  });

  it("names empty required fields and list items, also in optional values", () => {
    const text = { type: "string" };
    const person: FormSchema = { type: "object", properties: { name: text, note: text }, required: ["name"] };
    const schema: FormSchema = {
      type: "object",
      properties: {
        order: text,
        amount: { type: "number" },
        note: text,
        customer: { anyOf: [text, person] },
        tags: { type: "array", items: text },
      },
      required: ["order", "amount"],
    };
    expect(blankFields(schema, schema, {})).toEqual(["/order", "/amount"]);
    expect(blankFields(schema, schema, { order: "", amount: 0 })).toEqual([]);
    const value = { order: "7", amount: 1, customer: {}, tags: ["a", undefined] };
    expect(blankFields(schema, schema, value)).toEqual(["/customer/name", "/tags/1"]);
    expect(blankFields(schema, schema, { ...value, customer: "Bob", tags: [] })).toEqual([]);
  });
});
