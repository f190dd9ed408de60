import { expect, it } from "vitest";
import { compileSchema } from "../../../base/schema/compile-schema.ts";
import { Changes } from "./changes.ts";
import { repair } from "./repair.ts";

it("truncates long keys and values of a change", () => {
  const changes = new Changes();
  changes.add("value", ["k".repeat(1_000_000), "~/".repeat(1_000), 5], "f".repeat(1_000), "t".repeat(1_000));
  const [change] = changes.list;
  expect(change).toEqual({
    stage: "value",
    pointer: `/${"k".repeat(79)}…`,
    from: `${"f".repeat(80)}…`,
    to: `${"t".repeat(80)}…`,
  });
});

it("keeps a short pointer unchanged", () => {
  const changes = new Changes();
  changes.add("value", ["a/b", 3, "c~d"], "1", "2");
  expect(changes.list[0]?.pointer).toBe("/a~1b/3/c~0d");
});

it("refuses a repair with too many changes to review", () => {
  const schema = { type: "object", additionalProperties: { type: "array", items: { type: "integer" } } };
  const given = (key: string, items: number) => JSON.stringify({ [key]: Array(items).fill("1") });
  const size = (text: string) => {
    const result = repair({ text, schema, validate: compileSchema(schema) });
    return result.ok ? JSON.stringify(result.changes).length : result.why;
  };
  expect(size(given("k", 9_000))).toBeLessThan(1_000_000);
  expect(size(given("k", 11_000))).toContain("too many changes to review");
  expect(size(given("k".repeat(400_000), 9_000))).toContain("too many changes to review");
});
