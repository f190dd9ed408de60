import { describe, expect, it } from "vitest";
import { compileSchema } from "../../base/schema/compile-schema.ts";
import { dropUnsafePatterns } from "./create-remote-tool.ts";

const ahead = "^(?=.*x)[a-z]+$";
const behind = "(?<=a)b";

describe("dropUnsafePatterns", () => {
  it("removes and reports a pattern that cannot be matched in linear time and keeps others", () => {
    const schema = {
      type: "object",
      properties: { a: { pattern: ahead }, b: { pattern: "^[a-z]+$" }, pattern: { type: "string" } },
    };
    expect(dropUnsafePatterns(schema)).toEqual({
      schema: {
        type: "object",
        properties: { a: {}, b: { pattern: "^[a-z]+$" }, pattern: { type: "string" } },
      },
      droppedPatterns: ["/properties/a/pattern"],
    });
  });

  it("returns a schema without such patterns as the same object", () => {
    const schema = { type: "object", oneOf: [{ $ref: "#/$defs/a" }], $defs: { a: { pattern: "a" } } };
    expect(dropUnsafePatterns(schema).schema).toBe(schema);
  });

  it.each<[string, object, object]>([
    ["under not", { not: { pattern: ahead } }, {}],
    ["under if", { if: { pattern: ahead }, then: false }, {}],
    [
      "in one of several alternatives",
      { oneOf: [{ pattern: ahead }, { minLength: 3 }] },
      { anyOf: [{}, { minLength: 3 }] },
    ],
    [
      "in one of several alternatives next to others",
      { oneOf: [{ pattern: ahead }], anyOf: [{ minLength: 1 }] },
      { anyOf: [{ minLength: 1 }], allOf: [{ anyOf: [{}] }] },
    ],
    ["in a limited contains", { contains: { pattern: behind }, maxContains: 1 }, { contains: {} }],
    [
      "in patternProperties with additionalProperties",
      { patternProperties: { [ahead]: { type: "string" }, "^a": {} }, additionalProperties: false },
      { patternProperties: { "^a": {} } },
    ],
    [
      "in a subschema with unevaluatedProperties",
      { allOf: [{ patternProperties: { [ahead]: {} } }], unevaluatedProperties: false },
      { allOf: [{ patternProperties: {} }] },
    ],
  ])("loosens the enclosing keyword %s, so that no valid value is rejected", (_, before, after) => {
    const read = dropUnsafePatterns({ type: "object", properties: { p: before } });
    expect(read.schema).toEqual({ type: "object", properties: { p: after } });
    expect(read.droppedPatterns).toHaveLength(1);
    expect(() => compileSchema(read.schema)).not.toThrow();
  });

  it("applies to references where they are used", () => {
    const schema = {
      type: "object",
      properties: { p: { not: { $ref: "#/$defs/x" } } },
      $defs: { x: { pattern: ahead } },
    };
    expect(dropUnsafePatterns(schema).schema).toEqual({
      type: "object",
      properties: { p: {} },
      $defs: { x: {} },
    });
  });
});
