import { describe, expect, it } from "vitest";
import { simplifySchema } from "./simplify-schema.ts";

describe("simplifySchema", () => {
  it("drops keywords that restrict nothing", () => {
    expect(
      simplifySchema({
        type: "object",
        propertyNames: { type: "string" },
        additionalProperties: true,
        properties: {
          whole: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
          mail: { type: "string", format: "email", pattern: "^(?!x)" },
          ahead: { type: "string", pattern: "^(?=.*\\d).+$" },
          one: { anyOf: [{ type: "string" }], description: "One" },
          all: { type: "string", allOf: [{ minLength: 1 }] },
        },
      }),
    ).toEqual({
      type: "object",
      properties: {
        whole: { type: "integer" },
        mail: { type: "string", format: "email" },
        ahead: { type: "string" },
        one: { type: "string", description: "One" },
        all: { type: "string", minLength: 1 },
      },
    });
  });

  it("keeps keywords that restrict something", () => {
    const schema = {
      type: "object",
      properties: {
        plain: { type: "string", pattern: "^a$" },
        choice: { anyOf: [{ type: "string" }, { type: "null" }] },
        clash: { description: "outer", anyOf: [{ type: "string", description: "inner" }] },
        turned: { not: { type: "string", format: "email", pattern: "^(?=a)" } },
        open: { type: "object", additionalProperties: { type: "number" }, propertyNames: { pattern: "^a" } },
      },
      additionalProperties: false,
    };
    expect(simplifySchema(schema)).toEqual(schema);
  });

  it("leaves data that looks like a schema and properties named like keywords unchanged", () => {
    const schema = {
      type: "object",
      properties: {
        additionalProperties: { type: "boolean" },
        anyOf: { type: "string", default: "x" },
        data: {
          default: { additionalProperties: true, anyOf: [{ a: 1 }] },
          enum: [{ additionalProperties: true }],
        },
      },
    };
    expect(simplifySchema(schema)).toEqual(schema);
  });

  it("replaces a root that is only a reference by its definition", () => {
    const Place = {
      type: "object",
      properties: { near: { $ref: "#/$defs/Place" }, at: { $ref: "#/$defs/Point" } },
    };
    const Point = { type: "array" };
    expect(simplifySchema({ $ref: "#/$defs/Place", $defs: { Place, Point } })).toEqual({
      type: "object",
      properties: { near: { $ref: "#" }, at: { $ref: "#/$defs/Point" } },
      $defs: { Point },
    });
  });
});
