import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Format, formats } from "../../src/models/dialects/formats.ts";
import type { JsonSchema } from "../../src/types/json.ts";
import { comprehensive } from "./comprehensive.ts";
import { schemasOf } from "./schemas-of.ts";
import { specOf } from "./spec-of.ts";
import { strictProblems } from "./strict-problems.ts";
import { unnamedLosses } from "./unnamed-losses.ts";

const name = fc.constantFrom("a", "b", "items", "properties", "$ref", "a/b", "~", "with space");
const bound = fc.integer({ min: 0, max: 9 });
const optional = { requiredKeys: [] };

const { schema } = fc.letrec<{ schema: JsonSchema; leaf: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    tie("leaf"),
    fc.record(
      {
        type: fc.constant("object"),
        properties: fc.dictionary(name, fc.oneof({ weight: 8, arbitrary: tie("schema") }, fc.boolean())),
        required: fc.constantFrom([], ["a"]),
        additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
        patternProperties: fc.dictionary(fc.constant("^x"), tie("schema"), { maxKeys: 1 }),
        description: fc.constant("An object"),
        default: fc.constant({ a: 1 }),
      },
      { requiredKeys: ["type"] },
    ),
    fc.record(
      { type: fc.constant("array"), items: tie("schema"), minItems: bound, uniqueItems: fc.boolean() },
      { requiredKeys: ["type"] },
    ),
    fc.record(
      { anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }), description: fc.constant("Any") },
      { requiredKeys: ["anyOf"] },
    ),
    fc.record({ oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
  ),
  leaf: fc.oneof(
    fc.record(
      {
        type: fc.constantFrom("string", ["string", "null"]),
        minLength: bound,
        pattern: fc.constantFrom("^a", "(?!b)"),
        format: fc.constantFrom("date", "uri"),
        enum: fc.constantFrom(["x", "y"], ["x", null]),
        default: fc.constant("x"),
        title: fc.constant("Text"),
      },
      { requiredKeys: ["type"] },
    ),
    fc.record({ type: fc.constantFrom("integer", "number"), minimum: bound, multipleOf: bound }, optional),
    fc.record({ const: fc.constantFrom("x", 1, null, true), description: fc.constant("Fixed") }, optional),
    fc.record({ not: fc.constant({ type: "null" }), deprecated: fc.boolean() }, optional),
    fc.record(
      { $ref: fc.constantFrom("#/$defs/one", "#/$defs/two"), description: fc.constant("Refers") },
      { requiredKeys: ["$ref"] },
    ),
  ),
}));

const tool = fc
  .record(
    {
      $schema: fc.constant("https://json-schema.org/draft/2020-12/schema"),
      type: fc.constant("object"),
      properties: fc.dictionary(name, schema),
      required: fc.constantFrom([], ["a"]),
      additionalProperties: fc.boolean(),
      anyOf: fc.array(schema, { minLength: 1, maxLength: 3 }),
      $defs: fc.record({
        // A definition that only refers to itself says nothing.
        one: schema.filter((definition) => definition.$ref !== "#/$defs/one"),
        two: schema.filter((definition) => definition.$ref === undefined),
      }),
    },
    { requiredKeys: ["type", "$defs"] },
  )
  .map((input): JsonSchema => JSON.parse(JSON.stringify(input)));

const all = Object.keys(formats) as Format[];

describe.each(all)("%s", (format) => {
  test.each([false, true])("loses nothing that its report does not name (strict: %s)", (strict) => {
    fc.assert(
      fc.property(tool, (input) => {
        const before = structuredClone(input);
        const { tools, report } = formats[format]([{ wireName: "probe", spec: specOf(input, { strict }) }]);
        expect(input).toStrictEqual(before);
        if (tools.length === 0) return expect(report).not.toHaveLength(0);
        const { input: exported, isStrict } = schemasOf(tools[0]);
        expect(unnamedLosses(input, exported, report)).toStrictEqual([]);
        if (isStrict) expect(strictProblems(exported)).toStrictEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

/** Copies of a schema that each lack one of its keywords. */
const maimed = (root: JsonSchema): readonly { readonly path: string; readonly copy: JsonSchema }[] => {
  const copies: { path: string; copy: JsonSchema }[] = [];
  const visit = (path: readonly string[]) => {
    const at = path.reduce<unknown>((value, key) => (value as JsonSchema)[key], root);
    if (typeof at !== "object" || at === null) return;
    for (const key of Object.keys(at)) {
      const copy = structuredClone(root);
      const parent = path.reduce<unknown>((value, step) => (value as JsonSchema)[step], copy);
      if (Array.isArray(parent)) parent.splice(Number(key), 1);
      else delete (parent as Record<string, unknown>)[key];
      copies.push({ path: [...path, key].join("/"), copy });
      visit([...path, key]);
    }
  };
  visit([]);
  return copies;
};

test("the comparison detects each removed keyword or value", () => {
  const { input } = comprehensive;
  const copies = maimed(input);
  expect(copies).toHaveLength(100);
  const unnoticed = copies.filter(({ copy }) => unnamedLosses(input, copy, []).length === 0);
  expect(unnoticed.map(({ path }) => path)).toStrictEqual([]);
});
