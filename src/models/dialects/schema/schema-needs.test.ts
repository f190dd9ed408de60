import { expect, test } from "vitest";
import { freezeJson } from "../../../base/json/json-value.ts";
import type { JsonSchema } from "../../../types/json.ts";
import { hasNoNeeds, schemaNeeds } from "./schema-needs.ts";

const { references, dialect, draft, booleans, incomplete, names, root, innerDialect } = schemaNeeds;
const object = (properties: object, more: object = {}): JsonSchema =>
  freezeJson({ type: "object", properties, ...more });

test.each([
  ["nothing", object({ a: { type: "string" } }), 0],
  ["a reference", object({ a: { $ref: "#/$defs/b" } }, { $defs: { b: {} } }), references],
  ["a dialect", object({}, { $schema: "http://json-schema.org/draft-07/schema#" }), dialect],
  [
    "a dialect below the root",
    object({ a: { $schema: "http://json-schema.org/draft-07/schema#" } }),
    innerDialect,
  ],
  ["a choice at the root", object({}, { anyOf: [{ required: ["a"] }] }), root],
  ["a root that is not an object", freezeJson({ type: "string" }) as JsonSchema, root],
  ["a root without properties", freezeJson({ type: "object" }) as JsonSchema, root | incomplete],
  ["properties that are null", freezeJson({ type: "object", properties: null }) as JsonSchema, root],
  ["a name with a space", object({ "a b": {} }), names],
  ["a tuple", object({ a: { type: "array", items: [{}] } }), draft],
  ["dependencies", object({}, { dependencies: { a: ["b"] } }), draft],
  ["a boolean property", object({ a: true }), booleans],
  ["a list without items", object({ a: { type: "array" } }), incomplete],
  ["a nested object without properties", object({ a: { anyOf: [{ type: "object" }] } }), incomplete],
])("hasNoNeeds reports only the needs of a schema with %s", (_, schema, found) => {
  const all = [references, dialect, draft, booleans, incomplete, names, root, innerDialect];
  // The second result comes from the cache.
  for (const _again of [1, 2]) {
    expect(all.filter((need) => !hasNoNeeds(schema, need))).toEqual(
      all.filter((need) => (need & found) !== 0),
    );
  }
});

test("hasNoNeeds returns false for a mutable schema until it is frozen", () => {
  const inner = { type: "string" };
  const schema: JsonSchema = Object.freeze({ type: "object", properties: Object.freeze({ a: inner }) });
  expect(hasNoNeeds(schema, booleans)).toBe(false);
  Object.freeze(inner);
  expect(hasNoNeeds(schema, booleans)).toBe(true);
});
