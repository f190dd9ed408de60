import { expect, test } from "vitest";
import { strictSchema } from "./strict-schema.ts";

const object = (properties: object, more: object = {}) => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...more,
});

const reasons = (input: object) =>
  strictSchema(input as never).losses.map(([pointer, keyword, note]) => `${pointer} ${keyword} ${note}`);

const city = { type: "string" };
const deep = (levels: number): object =>
  levels === 0 ? city : object({ a: deep(levels - 1) }, { required: ["a"] });
const wide = Object.fromEntries(Array.from({ length: 5_001 }, (_, index) => [`p${index}`, city]));
const values = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => `${index}`.padStart(length, "v"));

test.each<[string, object, string]>([
  ["free-form properties", object({}, { additionalProperties: city }), "properties are not all named"],
  [
    "explicitly open properties",
    object({ city }, { additionalProperties: true }),
    "properties are not all named",
  ],
  [
    "properties named by a pattern",
    object({ city }, { patternProperties: { "^x": city } }),
    "property names are given by a pattern",
  ],
  [
    "a union at the root",
    object({ city }, { anyOf: [{ required: ["city"] }] }),
    "`anyOf` is not supported at the root",
  ],
  [
    "an undefined required property",
    object({ city }, { required: ["town"] }),
    "a required property is not described",
  ],
  ["eleven levels", deep(11), "more than 10 levels"],
  ["5,001 properties", object(wide), "more than 5000 properties"],
  ["1,001 enum values", object({ pick: { enum: values(1_001, 5) } }), "more than 1000 enum values"],
  [
    "a long enum with long values",
    object({ pick: { enum: values(251, 60) } }),
    "an enum of more than 250 values",
  ],
  [
    "120,001 characters of constants",
    object({ pick: { const: "x".repeat(120_001) } }),
    "more than 120000 characters",
  ],
])("%s leaves the tool non-strict with a reason", (_, input, why) => {
  const lowered = strictSchema(input as never);
  expect(lowered.schema).toBeUndefined();
  expect(reasons(input)).toContainEqual(expect.stringContaining(why));
  expect(lowered.losses.every(([, keyword]) => keyword === "strict")).toBe(true);
});

test.each<[string, object, string]>([
  ["an object without properties", { type: "object" }, "no properties are named"],
  ["any value", {}, "a value of any type is accepted"],
  ["an array without items", { type: "array" }, "any value is accepted"],
  ["a tuple", { type: "array", prefixItems: [city] }, "items are described one by one"],
  ["a combination of schemas", { allOf: [{ type: "string" }, { minLength: 1 }] }, "`allOf` is not supported"],
  ["a condition", { type: "string", if: { minLength: 1 } }, "`if` is not supported"],
  [
    "a union next to properties",
    { properties: { city: { type: "string" } }, anyOf: [object({})] },
    "`anyOf` is combined",
  ],
  [
    "a union next to a type",
    { type: "object", oneOf: [object({ city })] },
    "`oneOf` is combined with other keywords",
  ],
])("a property that is %s leaves the tool non-strict with its pointer", (_, property, why) => {
  expect(reasons(object({ it: property }))).toContainEqual(expect.stringMatching(/^\/input\/properties\/it/));
  expect(reasons(object({ it: property })).join()).toContain(why);
});

test("accepts ten levels and 1,000 enum values", () => {
  expect(strictSchema(deep(10) as never).schema).toBeDefined();
  expect(
    strictSchema(object({ pick: { enum: values(1_000, 5) } }, { required: ["pick"] })).schema,
  ).toBeDefined();
});
