import { expect, test } from "vitest";
import { freezeJson } from "../../json/freeze-json.ts";
import type { JsonSchema } from "../../words/json.ts";
import { isPlain, needs } from "./needs.ts";

const { references, dialect, draft, booleans, incomplete } = needs;
const object = (properties: object, more: object = {}): JsonSchema =>
  freezeJson({ type: "object", properties, ...more });

test.each([
  ["nothing", object({ a: { type: "string" } }), 0],
  ["a reference", object({ a: { $ref: "#/$defs/b" } }, { $defs: { b: {} } }), references],
  ["a dialect", object({}, { $schema: "http://json-schema.org/draft-07/schema#" }), dialect],
  ["a tuple", object({ a: { type: "array", items: [{}] } }), draft],
  ["dependencies", object({}, { dependencies: { a: ["b"] } }), draft],
  ["a boolean property", object({ a: true }), booleans],
  ["a list of anything", object({ a: { type: "array" } }), incomplete],
  ["an object of anything, deep inside", object({ a: { anyOf: [{ type: "object" }] } }), incomplete],
])("a schema with %s is plain for whoever writes nothing of it otherwise", (_, schema, found) => {
  const all = [references, dialect, draft, booleans, incomplete];
  // Asked twice: the second answer is remembered.
  for (const _again of [1, 2]) {
    expect(all.filter((need) => !isPlain(schema, need))).toEqual(all.filter((need) => (need & found) !== 0));
  }
});

test("a schema that can still be changed is plain for nobody, until it is frozen", () => {
  const inner = { type: "string" };
  const schema: JsonSchema = Object.freeze({ type: "object", properties: Object.freeze({ a: inner }) });
  expect(isPlain(schema, booleans)).toBe(false);
  Object.freeze(inner);
  expect(isPlain(schema, booleans)).toBe(true);
});
