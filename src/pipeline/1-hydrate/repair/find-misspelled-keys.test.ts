import { expect, it } from "vitest";
import { compileSchema } from "../../../base/schema/compile-schema.ts";
import type { JsonSchema } from "../../../types/json.ts";
import { repair } from "./repair.ts";

const text = { type: "string" };
const asking = (names: readonly string[], more: Record<string, unknown> = {}): JsonSchema => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, text])),
  required: names,
  ...more,
});
const closed = { additionalProperties: false };
const optional = { required: [] };

const repaired = (value: unknown, schema: JsonSchema): unknown => {
  const result = repair({ value, schema, validate: compileSchema(schema) });
  return result.ok ? result.value : `refused: ${result.why}`;
};

it.each<[string, string, Record<string, unknown>]>([
  ["filePath", "file_path", closed],
  ["filePath", "file_path", { ...closed, ...optional }],
  ["filePath", "file_path", {}],
  ["filePath", "file_path", { additionalProperties: text }],
  ["filePath", "file_path", { additionalProperties: true }],
  ["comand", "command", closed],
  ["comand", "command", {}],
])("renames %s to %s with schema options %j", (written, name, more) => {
  expect(repaired({ [written]: "x" }, asking([name], more))).toEqual({ [name]: "x" });
});

it.each<[string, string]>([
  ["payer_id", "payee_id"],
  ["county", "country"],
  ["contract", "contact"],
  ["remote", "remove"],
  ["clone", "close"],
  ["groups", "group"],
  ["trail_id", "trial_id"],
  ["desert", "dessert"],
])("does not rename %s to %s", (written, name) => {
  for (const more of [closed, {}, { additionalProperties: text }]) {
    expect(repaired({ [written]: "x" }, asking([name], more))).toMatch(/^refused/);
  }
});

it("renames an allowed additional key only to a missing property of the same spelling", () => {
  expect(repaired({ comand: "x" }, asking(["command"], { additionalProperties: text }))).toMatch(/^refused/);
  expect(repaired({ comand: "x" }, asking(["command"], { additionalProperties: true }))).toMatch(/^refused/);
  const schema = asking(["file_path", "n"], { additionalProperties: text, required: ["n"] });
  expect(repaired({ filePath: "x", N: "y" }, schema)).toEqual({ filePath: "x", n: "y" });
});

it("keeps keys with more than one possible match", () => {
  expect(repaired({ Adress: "x" }, asking(["adress", "address"], { ...closed, ...optional }))).toMatch(
    /^refused/,
  );
  expect(repaired({ userId: "x", userid: "x" }, asking(["user_id"], closed))).toMatch(/^refused/);
});
