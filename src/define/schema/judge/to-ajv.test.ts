import ajv from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import type { JsonSchema } from "../../../words/json.ts";
import { compileSchema } from "../compile-schema.ts";

const plainAjv = (schema: JsonSchema, value: unknown): boolean => {
  try {
    return (
      new ajv.default({ strict: false, logger: false, ownProperties: true }).compile(schema)(value) === true
    );
  } catch {
    return true;
  }
};

const proto = (value: unknown): Record<string, unknown> => Object.fromEntries([["__proto__", value]]);

it.each<[string, JsonSchema, unknown]>([
  ["contains, when the list before it was longer", { items: { contains: { const: 1 } } }, [[1], []]],
  [
    "contains beside prefixItems on a shorter list",
    { prefixItems: [{ type: "string" }], contains: true },
    [],
  ],
  [
    "uniqueItems beside prefixItems on a shorter list",
    { prefixItems: [true, true, { type: "null" }], uniqueItems: true },
    [1, 1],
  ],
  ["a property called __proto__", { properties: proto({ type: "number" }) }, proto("x")],
  ["an item that contains did not find", { contains: { type: "string" }, unevaluatedItems: false }, ["a", 1]],
  ["a constant with a key like a method", { const: { a: 1 } }, { toString: 1 }],
])("ajv alone lets %s pass, and here it does not", (_, schema, value) => {
  expect(plainAjv(schema, value)).toBe(true);
  expect(compileSchema(schema)(value).ok).toBe(false);
});

it.each<[string, JsonSchema, unknown]>([
  ["a cent of a price", { multipleOf: 0.01 }, 4.35],
  [
    "a key that a condition spoke about",
    { if: { additionalProperties: true }, unevaluatedProperties: false },
    { a: 1 },
  ],
  ["equal constants with a key like a method", { const: { constructor: {} } }, { constructor: {} }],
])("ajv alone turns %s down, and here it passes", (_, schema, value) => {
  expect(compileSchema(schema)(value).ok).toBe(true);
  expect(new ajv.default({ strict: false, logger: false }).compile(schema)(value)).toBe(false);
});
