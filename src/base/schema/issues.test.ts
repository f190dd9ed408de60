import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../types/json.ts";
import { compileSchema } from "./compile-schema.ts";
import { schemaLimits } from "./plain/plain-schema.ts";

const issuesOf = (schema: JsonSchema | boolean, value: unknown) => {
  const answer = compileSchema(schema)(value);
  return answer.ok ? [] : answer.issues;
};

const messages = (schema: JsonSchema | boolean, value: unknown) =>
  issuesOf(schema, value).map((issue) => issue.message);

const weather: JsonSchema = {
  type: "object",
  properties: {
    city: { type: "string", description: "Name of the city,\n in English" },
    days: { type: "integer", minimum: 1 },
    unit: { enum: ["celsius", "fahrenheit"] },
  },
  required: ["city"],
  additionalProperties: false,
};

const shapes: JsonSchema = {
  oneOf: [
    {
      type: "object",
      properties: { kind: { const: "circle" }, radius: { type: "number" } },
      required: ["kind", "radius"],
    },
    {
      type: "object",
      properties: { kind: { const: "square" }, side: { type: "number" } },
      required: ["kind", "side"],
    },
  ],
};

describe("validation issues", () => {
  it("state the expected and the received type", () => {
    expect(issuesOf(weather, { city: "Oslo", days: "3" })).toEqual([
      {
        pointer: "/days",
        message: '/days must be integer, got string "3"',
        expected: "integer",
        received: 'string "3"',
      },
    ]);
  });

  it("are reported together so that one retry can fix them all", () => {
    expect(messages(weather, { cty: "Oslo", days: 0, unit: "Celsius" })).toEqual([
      "/city is required (string: Name of the city, in English) but missing",
      "/days must be at least 1, got number 0",
      '/unit must be one of "celsius", "fahrenheit", got string "Celsius"; did you mean "celsius"?',
      '/cty is not a known property; known: "city", "days", "unit"; did you mean "city"?',
    ]);
  });

  it.each<[string, JsonSchema | boolean, unknown, string]>([
    ["the whole value", { type: "object" }, "{}", 'the value must be object, got string "{}"'],
    ["a constant", { const: "a" }, "b", 'the value must be "a", got string "b"'],
    ["a short text", { minLength: 3 }, "😀", "the value must have at least 3 characters, got 1"],
    ["a pattern", { pattern: "^[a-z]+$" }, "A", 'the value must match the pattern ^[a-z]+$, got string "A"'],
    ["a multiple", { multipleOf: 0.5 }, 7.2, "the value must be a multiple of 0.5, got number 7.2"],
    ["a short list", { minItems: 1 }, [], "the value must have at least 1 item, got 0"],
    ["an item", { items: { type: "string" } }, ["a", 3], "/1 must be string, got number 3"],
    [
      "an extra item",
      { prefixItems: [true], items: false },
      [1, 2],
      "/1 must not be present: the list has at most 1 item",
    ],
    [
      "a repeated item",
      { uniqueItems: true },
      [{ a: 1 }, { a: 1 }],
      "the value must not contain duplicates, but items 0 and 1 are equal",
    ],
    [
      "a missing item",
      { contains: { type: "string" } },
      [1],
      "the value must contain at least 1 item that fit string, got 0",
    ],
    ["a dependent key", { dependentRequired: { a: ["b"] } }, { a: 1 }, '/b is required with "a" but missing'],
    [
      "a key name",
      { propertyNames: { maxLength: 1 } },
      { ab: 1 },
      "/ab has a name that must have at most 1 character, got 2",
    ],
    [
      "a key with a slash",
      { properties: { "a/b": { type: "null" } } },
      { "a/b": [1] },
      "/a~1b must be null, got array of 1",
    ],
    ["a negation", { not: { type: "string" } }, "x", 'the value must not be string, got string "x"'],
    ["a forbidden value", false, 1, "the value must not be present"],
    [
      "a choice of types",
      { anyOf: [{ type: "string" }, { type: "null" }] },
      3,
      "the value must be string or null, got number 3",
    ],
    [
      "a choice of constants",
      { anyOf: [{ const: "a" }, { const: "b" }] },
      "c",
      'the value must be "a" or "b", got string "c"',
    ],
    [
      "the branch selected by its tag",
      shapes,
      { kind: "circle", radius: "1" },
      '/radius must be number, got string "1"',
    ],
    ["an unknown tag", shapes, { kind: "oval" }, '/kind must be "circle" or "square", got string "oval"'],
    [
      "branches without a tag",
      { anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      {},
      "the value fits none of its 2 forms; the closest fails because /a is required but missing",
    ],
    [
      "two matching branches",
      { oneOf: [{ type: "number" }, { minimum: 0 }] },
      3,
      "the value must fit exactly one of its 2 forms, but fits 2",
    ],
    [
      "an unevaluated key",
      { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      { b: 1 },
      '/b is not a known property; known: "a"; did you mean "a"?',
    ],
    [
      "a condition",
      { if: { required: ["a"] }, then: { required: ["b"] } },
      { a: 1 },
      "/b is required but missing",
    ],
  ])("describe %s", (_, schema, value, message) => {
    expect(messages(schema, value)[0]).toBe(message);
  });
});

describe("issue limits", () => {
  it("reports at most the maximum number of issues", () => {
    expect(
      messages(
        { items: { type: "string" } },
        Array.from({ length: 50_000 }, () => 1),
      ),
    ).toHaveLength(schemaLimits.issues);
  });

  it("truncates long values, long lists of choices and long keys", () => {
    const [enumerated] = issuesOf(
      { enum: Array.from({ length: 900 }, (_, index) => `choice ${index}`) },
      "x".repeat(9_000),
    );
    expect(enumerated?.received?.length).toBeLessThanOrEqual(200);
    expect(enumerated?.message).toContain("(900 in all)");
    expect(enumerated?.message.length).toBeLessThanOrEqual(schemaLimits.messageLength);
    const [unknown] = issuesOf({ properties: {}, additionalProperties: false }, { ["k".repeat(9_000)]: 1 });
    expect(unknown?.message.length).toBeLessThanOrEqual(schemaLimits.messageLength);
  });

  it("does not split a character when truncating", () => {
    const [issue] = issuesOf({ type: "null" }, "😀".repeat(500));
    expect(issue?.received?.isWellFormed()).toBe(true);
  });
});

describe("secrets in issues", () => {
  it("omits passwords and the members of objects and lists", () => {
    const password = { type: "string", format: "password", pattern: "^x" };
    const reported = [
      ...messages({ properties: { password } }, { password: "hunter2" }),
      ...messages({ properties: { key: { type: "null", writeOnly: true } } }, { key: "hunter2" }),
      ...messages({ type: "array" }, { password: "hunter2" }),
      ...messages({ type: "object" }, ["hunter2"]),
      ...messages(weather, { city: "Oslo", pasword: "hunter2" }),
    ];
    expect(reported).toHaveLength(5);
    expect(reported.join()).not.toContain("hunter2");
  });
});
