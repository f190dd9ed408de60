import { describe, expect, it } from "vitest";
import { modernizeSchema } from "./modern-schema.ts";

describe("modernizeSchema", () => {
  it("returns a schema without outdated keywords as the same object", () => {
    const schema = {
      type: "object",
      properties: { nullable: { type: "boolean" }, list: { type: "array", items: { exclusiveMinimum: 3 } } },
      default: { nullable: true },
    };
    expect(modernizeSchema(schema)).toBe(schema);
  });

  it.each<[string, object, object]>([
    ["an exclusive bound", { minimum: 3, exclusiveMinimum: true }, { exclusiveMinimum: 3 }],
    ["an inclusive bound", { maximum: 3, exclusiveMaximum: false }, { maximum: 3 }],
    ["an exclusive bound without a value", { exclusiveMaximum: true }, {}],
    ["a nullable type", { type: "string", nullable: true }, { type: ["string", "null"] }],
    [
      "several nullable types",
      { type: ["string", "number"], nullable: true },
      { type: ["string", "number", "null"] },
    ],
    ["a type that is not nullable", { type: "string", nullable: false }, { type: "string" }],
    ["a nullable enum", { enum: ["a"], nullable: true }, { enum: ["a", null] }],
    [
      "a nullable reference",
      { $ref: "#/$defs/a", nullable: true },
      { anyOf: [{ $ref: "#/$defs/a" }, { type: "null" }] },
    ],
    ["an explicit null type", { type: ["null", "string"], nullable: true }, { type: ["null", "string"] }],
  ])("converts %s at any depth", (_, before, after) => {
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

  it("marks a converted draft-04 schema as draft-07", () => {
    const $schema = "http://json-schema.org/draft-04/schema#";
    const number = { minimum: 3, exclusiveMinimum: true };
    expect(modernizeSchema({ $schema, type: "object", properties: { a: number } })).toEqual({
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { a: { exclusiveMinimum: 3 } },
    });
    expect(modernizeSchema({ $schema, type: "object" })).toEqual({ $schema, type: "object" });
  });

  it("keeps the root an object even when it is nullable", () => {
    expect(modernizeSchema({ type: "object", nullable: true })).toEqual({ type: "object" });
  });
});
