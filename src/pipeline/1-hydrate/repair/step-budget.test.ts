import { expect, it } from "vitest";
import { compileSchema } from "../../../base/schema/compile-schema.ts";
import type { JsonSchema } from "../../../types/json.ts";
import { type RepairResult, repair } from "./repair.ts";

const integer = { type: "integer" };
const object = (properties: Record<string, unknown>, more = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});
const closed = (properties: Record<string, unknown>): JsonSchema =>
  object(properties, { required: Object.keys(properties), additionalProperties: false });

const repairIt = (given: string, schema: JsonSchema = { type: "object" }): RepairResult =>
  repair({ text: given, schema, validate: compileSchema(schema) });

const length = 200_000;
it.each([
  "{",
  '{"a":',
  "[",
  '{"a":[',
  '"',
  "\\",
  "{'a':\"",
  "``` ",
  '{"a":1}',
  "/*",
  "a: ",
  '\\"',
  "{a:",
  "'",
  "\\n",
  "“:",
])("stays within the step budget for %j repeated", (unit) => {
  const given = unit.repeat(length / unit.length);
  expect(repairIt(given).steps).toBeLessThanOrEqual(64 * given.length + 10_000);
  expect(repairIt(`{"a":${given}}`).steps).toBeLessThanOrEqual(64 * given.length + 11_000);
});

it.each<[string, string, number]>([
  ["empty objects", "{}", 1_000],
  ["objects with unknown keys", `{${Array.from("abcdefghijklmnopqrst", (key) => `"${key}xyzq":1`)}}`, 100],
])("does not compare %s with the schema repeatedly", (_, unit, names) => {
  const properties = Object.fromEntries(Array.from({ length: names }, (__, i) => [`prop_${i}_xyz`, integer]));
  const schema = object({ n: integer, list: { type: "array", items: closed(properties) } });
  const given = `{"n":"x","list":[${Array(Math.ceil(400_000 / unit.length)).fill(unit)}]}`;
  const result = repair({ text: given, schema, validate: () => ({ ok: false, issues: [] }) });
  expect(result.ok).toBe(false);
  expect(result.steps).toBeLessThanOrEqual(4 * given.length);
});

it("does not expand a recursive schema", () => {
  const node = {
    type: "object",
    properties: { next: { anyOf: [{ $ref: "#" }, { $ref: "#/$defs/other" }] } },
  };
  const schema = { ...node, $defs: { other: { ...node, required: ["next"] } } };
  const given = `${'{"next":'.repeat(40)}"5"${"}".repeat(40)}`;
  expect(repairIt(given, schema).ok).toBe(false);
});
