import { expect, test } from "vitest";
import { objectRoot } from "./object-root.ts";

const refused = ["allOf", "anyOf", "oneOf", "not"];

const rooted = (schema: object) => {
  const notes: string[] = [];
  return { schema: objectRoot(schema as never, refused, (_, keyword) => notes.push(keyword)), notes };
};

test("returns an object schema as the same object", () => {
  const schema = { type: "object", properties: {} };
  expect(rooted(schema)).toStrictEqual({ schema, notes: [] });
  expect(rooted(schema).schema).toBe(schema);
});

test("turns a schema without type and properties into an empty object schema", () => {
  expect(rooted({})).toStrictEqual({ schema: { type: "object", properties: {} }, notes: [] });
});

test("merges root branches and requires only what all of them require", () => {
  const { schema, notes } = rooted({
    description: "Either",
    properties: { id: { type: "string" } },
    required: ["id"],
    oneOf: [
      { properties: { kind: { const: "a" }, size: { type: "integer" } }, required: ["kind", "size"] },
      { $ref: "#/$defs/b" },
    ],
    $defs: { b: { properties: { kind: { const: "b" } }, required: ["kind"] } },
  });
  expect(schema).toStrictEqual({
    description: "Either",
    type: "object",
    properties: {
      id: { type: "string" },
      kind: { anyOf: [{ const: "a" }, { const: "b" }] },
      size: { type: "integer" },
    },
    required: ["id", "kind"],
    $defs: { b: { properties: { kind: { const: "b" } }, required: ["kind"] } },
  });
  expect(notes).toStrictEqual(["oneOf"]);
});

test("requires what all branches of allOf require together", () => {
  const { schema } = rooted({
    allOf: [
      { properties: { a: {} }, required: ["a"] },
      { properties: { b: {} }, required: ["b"] },
    ],
  });
  expect(schema).toStrictEqual({ type: "object", properties: { a: {}, b: {} }, required: ["a", "b"] });
});

test("ignores properties of branches when the object is closed", () => {
  const closed = { type: "object", properties: { a: {} }, additionalProperties: false };
  const { schema } = rooted({ ...closed, anyOf: [{ properties: { b: {} } }] });
  expect(schema).toStrictEqual(closed);
});

test("starts at the target of a root reference", () => {
  const { schema, notes } = rooted({
    $ref: "#/definitions/Trip",
    definitions: { Trip: { type: "object", properties: { city: { type: "string" } } } },
  });
  expect(schema).toMatchObject({ type: "object", properties: { city: { type: "string" } } });
  expect(schema).not.toHaveProperty("$ref");
  expect(notes).toStrictEqual(["$ref"]);
});

test("follows cyclic branches once", () => {
  const ways = Array.from({ length: 12 }, () => ({ $ref: "#" }));
  expect(rooted({ properties: { a: {} }, anyOf: ways }).schema).toStrictEqual({
    type: "object",
    properties: { a: {} },
  });
});
