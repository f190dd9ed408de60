import { expect, test } from "vitest";
import { objectRoot } from "./object-root.ts";

const refused = ["allOf", "anyOf", "oneOf", "not"];

const rooted = (schema: object) => {
  const notes: string[] = [];
  return { schema: objectRoot(schema as never, refused, (_, keyword) => notes.push(keyword)), notes };
};

test("a schema that is plainly an object is the very same schema", () => {
  const schema = { type: "object", properties: {} };
  expect(rooted(schema)).toStrictEqual({ schema, notes: [] });
  expect(rooted(schema).schema).toBe(schema);
});

test("a schema without type or properties becomes an object that names none", () => {
  expect(rooted({})).toStrictEqual({ schema: { type: "object", properties: {} }, notes: [] });
});

test("branches at the top are listed together, and only what all of them require stays required", () => {
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

test("everything that all branches together require is required", () => {
  const { schema } = rooted({
    allOf: [
      { properties: { a: {} }, required: ["a"] },
      { properties: { b: {} }, required: ["b"] },
    ],
  });
  expect(schema).toStrictEqual({ type: "object", properties: { a: {}, b: {} }, required: ["a", "b"] });
});

test("a closed object keeps its own properties: a branch can add none", () => {
  const closed = { type: "object", properties: { a: {} }, additionalProperties: false };
  const { schema } = rooted({ ...closed, anyOf: [{ properties: { b: {} } }] });
  expect(schema).toStrictEqual(closed);
});

test("a schema that is one reference starts at its target", () => {
  const { schema, notes } = rooted({
    $ref: "#/definitions/Trip",
    definitions: { Trip: { type: "object", properties: { city: { type: "string" } } } },
  });
  expect(schema).toMatchObject({ type: "object", properties: { city: { type: "string" } } });
  expect(schema).not.toHaveProperty("$ref");
  expect(notes).toStrictEqual(["$ref"]);
});

test("branches that refer to each other in circles are looked at once", () => {
  const ways = Array.from({ length: 12 }, () => ({ $ref: "#" }));
  expect(rooted({ properties: { a: {} }, anyOf: ways }).schema).toStrictEqual({
    type: "object",
    properties: { a: {} },
  });
});
