import { expect, test } from "vitest";
import { inlineReferences } from "./inline-references.ts";

const inlined = (root: object) => {
  const notes: string[] = [];
  const schema = inlineReferences(root as never, "/input", (pointer, keyword) =>
    notes.push(`${pointer} ${keyword}`),
  );
  return { schema, notes };
};

test("returns a schema without references as the same object", () => {
  const schema = { type: "object", properties: { a: { type: "string" } } };
  expect(inlineReferences(schema, "/input", () => {})).toBe(schema);
});

test("replaces references by their targets, including nested ones", () => {
  const { schema, notes } = inlined({
    properties: {
      a: { $ref: "#/$defs/list" },
      b: { $ref: "#/properties/a" },
      c: { $ref: "#/$defs/odd~1name" },
    },
    $defs: {
      list: { type: "array", items: { $ref: "#/$defs/odd~1name" } },
      "odd/name": { type: "string" },
    },
  });
  const list = { type: "array", items: { type: "string" } };
  expect(schema).toStrictEqual({ properties: { a: list, b: list, c: { type: "string" } } });
  expect(notes).toStrictEqual(["/input $defs"]);
});

test("prefers annotations next to a reference and combines constraints with its target", () => {
  const { schema, notes } = inlined({
    properties: {
      a: { $ref: "#/$defs/word", description: "mine", minLength: 2 },
      b: { $ref: "#/$defs/word", maxLength: 5 },
    },
    $defs: { word: { type: "string", description: "its", maxLength: 9 } },
  });
  expect(schema.properties).toStrictEqual({
    a: { type: "string", description: "mine", maxLength: 9, minLength: 2 },
    b: { allOf: [{ type: "string", description: "its", maxLength: 9 }, { maxLength: 5 }] },
  });
  expect(notes).toStrictEqual(["/input $defs", "/input/properties/a description"]);
});

test("keeps recursive references and reports them", () => {
  const { schema, notes } = inlined({
    properties: { tree: { $ref: "#/definitions/tree", title: "Tree" }, self: { $ref: "#" } },
    definitions: {
      tree: { properties: { leaf: { $ref: "#/definitions/leaf" }, sub: { $ref: "#/definitions/tree" } } },
      leaf: { type: "string" },
    },
  });
  const properties = { tree: { $ref: "#/$defs/tree" }, self: { $ref: "#/$defs/root" } };
  expect(schema).toStrictEqual({
    properties,
    $defs: {
      tree: { properties: { leaf: { type: "string" }, sub: { $ref: "#/$defs/tree" } } },
      root: { properties },
    },
  });
  expect(notes).toContain("/input/properties/tree $ref");
  expect(notes).toContain("/input/properties/tree title");
  expect(notes).toContain("/input/$defs/tree/properties/sub $ref");
});

test("keeps external references and reports them", () => {
  const { schema, notes } = inlined({ properties: { a: { $ref: "https://example.com/a.json" } } });
  expect(schema).toStrictEqual({ properties: { a: { $ref: "https://example.com/a.json" } } });
  expect(notes).toStrictEqual(["/input/properties/a $ref"]);
});

test("keeps all references when they expand to too many schemas", () => {
  const definitions: Record<string, object> = { d0: { type: "string" } };
  for (let level = 1; level <= 40; level++) {
    const one = { $ref: `#/$defs/d${level - 1}` };
    definitions[`d${level}`] = { type: "object", properties: { a: one, b: one } };
  }
  const root = { properties: { top: { $ref: "#/$defs/d40" } }, $defs: definitions };
  const { schema, notes } = inlined(root);
  expect(schema).toBe(root);
  expect(notes).toStrictEqual(["/input $ref"]);
});
