import { expect, test } from "vitest";
import { rewriteSchema } from "./rewrite-schema.ts";
import { toDraft2020 } from "./to-draft-2020.ts";

const rewritten = (schema: object) => {
  const notes: string[] = [];
  const note = (pointer: string, keyword: string) => notes.push(`${pointer} ${keyword}`);
  return { schema: rewriteSchema(schema as never, "/input", toDraft2020(note)), notes };
};

test("a draft-07 tuple and its rest are written as draft 2020-12 has them", () => {
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

test("dependencies are split by what they ask for", () => {
  const { schema } = rewritten({ dependencies: { a: ["b"], c: { required: ["d"] } } });
  expect(schema).toStrictEqual({
    dependentRequired: { a: ["b"] },
    dependentSchemas: { c: { required: ["d"] } },
  });
});

test("a draft-07 schema that means the same in draft 2020-12 is the very same schema", () => {
  const schema = { $schema: "http://json-schema.org/draft-07/schema#", properties: { items: { items: {} } } };
  expect(rewritten(schema).schema).toBe(schema);
});

test("a property that is called like a keyword is no keyword", () => {
  const schema = { properties: { items: { enum: [["a"]] }, dependencies: { type: "object" } } };
  expect(rewritten(schema).schema).toBe(schema);
});
