import { expect, test } from "vitest";
import { rewriteSchema, toDraft2020 } from "./rewrite-schema.ts";

const rewritten = (schema: object) => {
  const notes: string[] = [];
  const note = (pointer: string, keyword: string) => notes.push(`${pointer} ${keyword}`);
  return { schema: rewriteSchema(schema as never, "/input", toDraft2020(note)), notes };
};

test("converts a draft-07 tuple with additionalItems", () => {
  const { schema, notes } = rewritten({
    $schema: "http://json-schema.org/draft-07/schema#",
    properties: { pair: { items: [{ type: "string" }, { type: "number" }], additionalItems: false } },
  });
  expect(schema).toStrictEqual({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    properties: { pair: { prefixItems: [{ type: "string" }, { type: "number" }], items: false } },
  });
  expect(notes).toStrictEqual([
    "/input/properties/pair items",
    "/input/properties/pair additionalItems",
    "/input $schema",
  ]);
});

test("splits dependencies into dependentRequired and dependentSchemas", () => {
  const { schema } = rewritten({ dependencies: { a: ["b"], c: { required: ["d"] } } });
  expect(schema).toStrictEqual({
    dependentRequired: { a: ["b"] },
    dependentSchemas: { c: { required: ["d"] } },
  });
});

test("returns a schema with the same meaning as the same object", () => {
  const schema = { $schema: "http://json-schema.org/draft-07/schema#", properties: { items: { items: {} } } };
  expect(rewritten(schema).schema).toBe(schema);
});

test("does not convert properties named like keywords", () => {
  const schema = { properties: { items: { enum: [["a"]] }, dependencies: { type: "object" } } };
  expect(rewritten(schema).schema).toBe(schema);
});
