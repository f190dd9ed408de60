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

describe("isCompatible accepts", () => {
  it.each(compatiblePairs)("%s", (_, narrow, wide) => {
    expect(isCompatible(narrow, wide)).toEqual({ ok: true });
  });
});

describe("isCompatible rejects with a reason", () => {
  it.each(incompatiblePairs)("%s", (_, narrow, wide, reason) => {
    expect(reasonsOf(narrow, wide)[0]).toBe(reason);
  });
});

it("isCompatible reports every reason with its pointer", () => {
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

describe("isCompatible and defaults", () => {
  const given = (more: JsonSchema = {}): JsonSchema => ({
    ...openObject({ name: { type: "string", default: "world" } }),
    ...more,
  });
  const wanting = openObject({ name: textSchema }, ["name"]);

  it("ignores defaults of a value as given", () => {
    expect(isCompatible(given(), wanting).ok).toBe(false);
  });

  it("counts defaults of a value that a validator filled in", () => {
    expect(isCompatible(given(), wanting, { defaults: "filled" })).toEqual({ ok: true });
  });

  it("ignores defaults that break their own schema", () => {
    const broken = openObject({ name: { type: "string", default: 5 } });
    expect(isCompatible(broken, wanting, { defaults: "filled" }).ok).toBe(false);
  });

  it.each([
    ["a choice", { anyOf: [{ maxProperties: 0 }, { required: ["x"] }] }],
    ["a count", { maxProperties: 1 }],
    ["a condition", { if: { required: ["name"] }, then: { required: ["x"] } }],
  ])("ignores defaults next to %s, which may remove them", (_, more) => {
    expect(isCompatible(given(more), wanting, { defaults: "filled" }).ok).toBe(false);
  });

  it("counts defaults within members and items but not within a choice", () => {
    const list = (items: JsonSchema): JsonSchema => closedObject({ people: { type: "array", items } });
    expect(isCompatible(list(given()), list(wanting), { defaults: "filled" })).toEqual({ ok: true });
    const choice = list({ anyOf: [given(), textSchema] });
    expect(isCompatible(choice, list({ anyOf: [wanting, textSchema] }), { defaults: "filled" }).ok).toBe(
      false,
    );
  });
});

describe("isCompatible limits", () => {
  /** Returns a schema with many choices, whose product is the number of cases. */
  const knot = (seed: number): JsonSchema => ({
    allOf: Array.from({ length: 24 }, (_, index) => ({
      anyOf: [{ minLength: index + seed }, { pattern: `^${index}` }, { maxLength: index }],
    })),
  });

  it("reports the reason budget when a comparison takes too many steps", () => {
    expect(reasonsOf(knot(1), knot(2))).toEqual(["budget: comparing them takes more than 20000 steps"]);
  });

  it("compares schemas at the maximum depth", () => {
    const deep = (leaf: JsonSchema): JsonSchema =>
      Array.from({ length: 30 }).reduce<JsonSchema>((inner) => closedObject({ a: inner }), leaf);
    expect(isCompatible(deep(integerSchema), deep({ type: "number" }))).toEqual({ ok: true });
    expect(isCompatible(deep({ type: "number" }), deep(integerSchema)).ok).toBe(false);
  });
});
