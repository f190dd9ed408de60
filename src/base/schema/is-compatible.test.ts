import { describe, expect, it } from "vitest";
import { compatiblePairs } from "../../../test/kit/compatible-pairs.ts";
import { incompatiblePairs } from "../../../test/kit/incompatible-pairs.ts";
import { closedObject, integerSchema, openObject, textSchema } from "../../../test/kit/sample-schemas.ts";
import type { JsonSchema } from "../../types/json.ts";
import { isCompatible } from "./is-compatible.ts";

const reasonsOf = (narrow: JsonSchema | boolean, wide: JsonSchema | boolean): readonly string[] => {
  const verdict = isCompatible(narrow, wide);
  return verdict.ok ? [] : verdict.reasons.map(({ keyword, message }) => `${keyword}: ${message}`);
};

describe("a schema is compatible with another when every value of it fits", () => {
  it.each(compatiblePairs)("%s", (_, narrow, wide) => {
    expect(isCompatible(narrow, wide)).toEqual({ ok: true });
  });
});

describe("a schema is not compatible, and says why, when", () => {
  it.each(incompatiblePairs)("%s", (_, narrow, wide, reason) => {
    expect(reasonsOf(narrow, wide)[0]).toBe(reason);
  });
});

it("every reason is told, each with its place in the value", () => {
  const narrow = closedObject({ city: textSchema, days: { type: "number" }, unit: { enum: ["c", "f"] } });
  const wide = closedObject(
    { city: { ...textSchema, minLength: 1 }, days: integerSchema, unit: { const: "c" } },
    ["city"],
  );
  expect(reasonsOf(narrow, wide)).toEqual([
    "required: /city may be missing, but must be there",
    "minLength: /city may be empty, but must be at least 1 character long",
    "type: /days may be number with a fraction, but must be integer",
    'enum: /unit may be "f", but must be "c"',
  ]);
});

describe("defaults", () => {
  const given = (more: JsonSchema = {}): JsonSchema => ({
    ...openObject({ name: { type: "string", default: "world" } }),
    ...more,
  });
  const wanting = openObject({ name: textSchema }, ["name"]);

  it("do not count in what is given", () => {
    expect(isCompatible(given(), wanting).ok).toBe(false);
  });

  it("count in what a validator hands on", () => {
    expect(isCompatible(given(), wanting, { defaults: "filled" })).toEqual({ ok: true });
  });

  it("do not count where they break their own schema", () => {
    const broken = openObject({ name: { type: "string", default: 5 } });
    expect(isCompatible(broken, wanting, { defaults: "filled" }).ok).toBe(false);
  });

  it.each([
    ["a choice", { anyOf: [{ maxProperties: 0 }, { required: ["x"] }] }],
    ["a count", { maxProperties: 1 }],
    ["a condition", { if: { required: ["name"] }, then: { required: ["x"] } }],
  ])("do not count beside %s, which may take them out again", (_, more) => {
    expect(isCompatible(given(more), wanting, { defaults: "filled" }).ok).toBe(false);
  });

  it("count inside of members and items, and not inside of a choice", () => {
    const list = (items: JsonSchema): JsonSchema => closedObject({ people: { type: "array", items } });
    expect(isCompatible(list(given()), list(wanting), { defaults: "filled" })).toEqual({ ok: true });
    const choice = list({ anyOf: [given(), textSchema] });
    expect(isCompatible(choice, list({ anyOf: [wanting, textSchema] }), { defaults: "filled" }).ok).toBe(
      false,
    );
  });
});

describe("work is counted", () => {
  /** Many choices side by side: as many cases as their product. */
  const knot = (seed: number): JsonSchema => ({
    allOf: Array.from({ length: 24 }, (_, index) => ({
      anyOf: [{ minLength: index + seed }, { pattern: `^${index}` }, { maxLength: index }],
    })),
  });

  it("a comparison that needs too many steps ends with that reason", () => {
    expect(reasonsOf(knot(1), knot(2))).toEqual(["budget: it takes more than 20000 steps to compare them"]);
  });

  it("a schema nested as deep as schemas may be is compared", () => {
    const deep = (leaf: JsonSchema): JsonSchema =>
      Array.from({ length: 30 }).reduce<JsonSchema>((inner) => closedObject({ a: inner }), leaf);
    expect(isCompatible(deep(integerSchema), deep({ type: "number" }))).toEqual({ ok: true });
    expect(isCompatible(deep({ type: "number" }), deep(integerSchema)).ok).toBe(false);
  });
});
