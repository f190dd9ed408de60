import { incompatibleObjects } from "./incompatible-objects.ts";
import type { IncompatiblePair } from "./incompatible-pair.ts";
import { integerSchema, numberSchema, textSchema } from "./sample-schemas.ts";

/** Some value of the first schema does not fit the second, or compatibility cannot be proved. */
export const incompatiblePairs: readonly IncompatiblePair[] = [
  [
    "any schema does not fit the schema false",
    textSchema,
    false,
    "false: the value may be there, but must be left out",
  ],
  [
    "any value does not fit a type",
    {},
    textSchema,
    "type: the value may be null or boolean or number or array, but must be string",
  ],
  [
    "a list of types does not fit one of them",
    { type: ["string", "null"] },
    textSchema,
    "type: the value may be null, but must be string",
  ],
  [
    "numbers are not integers",
    numberSchema,
    integerSchema,
    "type: the value may be number with a fraction, but must be integer",
  ],
  [
    "a type does not fit an enum",
    textSchema,
    { enum: ["a"] },
    'enum: the value may be something else, but must be "a"',
  ],
  [
    "an enum does not fit a shorter one",
    { enum: ["a", "b"] },
    { enum: ["a"] },
    'enum: the value may be "b", but must be "a"',
  ],
  [
    "a constant does not fit another type",
    { const: 1 },
    textSchema,
    "type: the value may be integer, but must be string",
  ],
  [
    "a range does not fit a shorter one",
    { type: "number", minimum: 0 },
    { type: "number", minimum: 1 },
    "minimum: the value may be as small as 0, but must be at least 1",
  ],
  [
    "an inclusive bound does not fit the exclusive bound",
    { type: "number", minimum: 0 },
    { type: "number", exclusiveMinimum: 0 },
    "exclusiveMinimum: the value may be as small as 0, but must be greater than 0",
  ],
  [
    "a schema without an upper bound does not fit one",
    { type: "integer", maximum: 10 },
    { type: "integer", maximum: 9 },
    "maximum: the value may be as large as 10, but must be at most 9",
  ],
  [
    "an inclusive maximum does not fit the exclusive maximum",
    { type: "integer", maximum: 9 },
    { type: "integer", exclusiveMaximum: 9 },
    "exclusiveMaximum: the value may be as large as 9, but must be less than 9",
  ],
  [
    "multiples of 5 are not multiples of 10",
    { type: "integer", multipleOf: 5 },
    { type: "integer", multipleOf: 10 },
    "multipleOf: the value may be any multiple of 5, but must be a multiple of 10",
  ],
  [
    "any number is not a multiple",
    numberSchema,
    { type: "number", multipleOf: 0.5 },
    "multipleOf: the value may be any number, but must be a multiple of 0.5",
  ],
  [
    "a text may be too short",
    textSchema,
    { type: "string", minLength: 1 },
    "minLength: the value may be empty, but must be at least 1 character long",
  ],
  [
    "a text may be too long",
    { type: "string", maxLength: 5 },
    { type: "string", maxLength: 4 },
    "maxLength: the value may be as long as 5 characters, but must be at most 4 characters long",
  ],
  [
    "a text without a pattern does not fit one",
    textSchema,
    { type: "string", pattern: "^a" },
    "pattern: the value may be any text, but must be a text that matches ^a",
  ],
  [
    "another pattern is not proven to fit",
    { type: "string", pattern: "^ab" },
    { type: "string", pattern: "^a" },
    "pattern: the value may be any text that matches ^ab, but must be a text that matches ^a",
  ],
  [
    "items do not fit other items",
    { type: "array", items: numberSchema },
    { type: "array", items: integerSchema },
    "type: /* may be number with a fraction, but must be integer",
  ],
  [
    "a list may have too few items",
    { type: "array" },
    { type: "array", minItems: 1 },
    "minItems: the value may have no items, but must have at least 1 item",
  ],
  [
    "a list may have too many items",
    { type: "array", maxItems: 3 },
    { type: "array", maxItems: 2 },
    "maxItems: the value may have 3 items, but must have at most 2 items",
  ],
  [
    "a list may have an item twice",
    { type: "array", items: textSchema },
    { type: "array", items: textSchema, uniqueItems: true },
    "uniqueItems: the value may have the same item twice, but must have no item twice",
  ],
  [
    "a tuple may have additional items",
    { type: "array", prefixItems: [textSchema] },
    { type: "array", prefixItems: [textSchema], items: false },
    "items: /* may be there, but must be left out",
  ],
  [
    "an item of a tuple does not fit",
    { type: "array", prefixItems: [textSchema, textSchema] },
    { type: "array", prefixItems: [textSchema, integerSchema] },
    "type: /1 may be string, but must be integer",
  ],
  [
    "a list may contain no matching item",
    { type: "array", items: textSchema },
    { type: "array", contains: textSchema },
    "contains: the value may have fewer items of the wanted form, but must have at least 1",
  ],
  [
    "a list may contain too many matching items",
    { type: "array", items: textSchema },
    { type: "array", contains: textSchema, minContains: 0, maxContains: 1 },
    "maxContains: the value may have more items of that form, but must have at most 1",
  ],
  ...incompatibleObjects,
];
