import { describe, expect, it } from "vitest";
import { modernizeSchema } from "./modern-schema.ts";

describe("a server's schema in older words", () => {
  it("is the same object where it says nothing in older words", () => {
    const schema = {
      type: "object",
      properties: { nullable: { type: "boolean" }, list: { type: "array", items: { exclusiveMinimum: 3 } } },
      default: { nullable: true },
    };
    expect(modernizeSchema(schema)).toBe(schema);
  });

  it.each<[string, object, object]>([
    ["a bound that is excluded", { minimum: 3, exclusiveMinimum: true }, { exclusiveMinimum: 3 }],
    ["a bound that is not", { maximum: 3, exclusiveMaximum: false }, { maximum: 3 }],
    ["an excluded bound that is missing", { exclusiveMaximum: true }, {}],
    ["a type that may be null", { type: "string", nullable: true }, { type: ["string", "null"] }],
    ["several types", { type: ["string", "number"], nullable: true }, { type: ["string", "number", "null"] }],
    ["a type that may not", { type: "string", nullable: false }, { type: "string" }],
    ["a choice that may be null", { enum: ["a"], nullable: true }, { enum: ["a", null] }],
    [
      "a reference that may be null",
      { $ref: "#/$defs/a", nullable: true },
      { anyOf: [{ $ref: "#/$defs/a" }, { type: "null" }] },
    ],
    ["null itself", { type: ["null", "string"], nullable: true }, { type: ["null", "string"] }],
  ])("says %s in today's, wherever it stands", (_, before, after) => {
    expect(modernizeSchema({ type: "object", properties: { a: { items: before } } })).toEqual({
      type: "object",
      properties: { a: { items: after } },
    });
    expect(modernizeSchema({ type: "object", $defs: { a: { anyOf: [before, { const: before }] } } })).toEqual(
      {
        type: "object",
        $defs: { a: { anyOf: [after, { const: before }] } },
      },
    );
  });

  it("of draft-04 names the draft in which its words mean what they meant", () => {
    const $schema = "http://json-schema.org/draft-04/schema#";
    const number = { minimum: 3, exclusiveMinimum: true };
    expect(modernizeSchema({ $schema, type: "object", properties: { a: number } })).toEqual({
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { a: { exclusiveMinimum: 3 } },
    });
    expect(modernizeSchema({ $schema, type: "object" })).toEqual({ $schema, type: "object" });
  });

  it("stays an object at its root, whatever it says of null", () => {
    expect(modernizeSchema({ type: "object", nullable: true })).toEqual({ type: "object" });
  });
});
