import type { JsonSchema } from "../../src/types/json.ts";
import {
  circleSchema,
  closedObject,
  draft07,
  integerSchema,
  jsonSchema,
  numberSchema,
  openObject,
  squareSchema,
  textSchema,
  treeSchema,
} from "./sample-schemas.ts";

export type SchemaPair = readonly [name: string, narrow: JsonSchema | boolean, wide: JsonSchema | boolean];

/** Every value of the first fits the second. */
export const compatiblePairs: readonly SchemaPair[] = [
  ["anything fits the schema that says nothing", { type: ["string", "null"] }, {}],
  ["nothing fits every schema", false, textSchema],
  ["a contradiction fits every schema", { type: "integer", minimum: 3, maximum: 2 }, textSchema],
  ["a type fits a list that has it", textSchema, { type: ["null", "string"] }],
  ["integers are numbers", integerSchema, numberSchema],
  ["numbers by whole steps are integers", { type: "number", multipleOf: 2 }, integerSchema],
  ["an enum fits a longer one", { enum: ["a", "b"] }, { enum: ["b", "c", "a"] }],
  ["a constant fits an enum", { const: "a" }, { type: "string", enum: ["a", "b"] }],
  ["an enum fits the type of its values", { enum: ["a", "bb"] }, { type: "string", minLength: 1 }],
  ["booleans are true and false", { type: "boolean" }, { enum: [true, false] }],
  [
    "a short range fits the list of its numbers",
    { type: "integer", minimum: 1, maximum: 3 },
    { enum: [0, 1, 2, 3] },
  ],
  [
    "a range fits a longer one",
    { type: "number", minimum: 0, maximum: 5 },
    { type: "number", minimum: -1, maximum: 5 },
  ],
  [
    "what is above a bound is at least it",
    { type: "number", exclusiveMinimum: 0 },
    { type: "number", minimum: 0 },
  ],
  [
    "whole numbers from 1 are above 0",
    { type: "integer", minimum: 1 },
    { type: "number", exclusiveMinimum: 0 },
  ],
  [
    "whole numbers above 0 are from 1",
    { type: "integer", exclusiveMinimum: 0 },
    { type: "integer", minimum: 1 },
  ],
  ["tens are fives", { type: "integer", multipleOf: 10 }, { type: "integer", multipleOf: 5 }],
  ["cents are tenths of cents", { type: "number", multipleOf: 0.01 }, { type: "number", multipleOf: 0.001 }],
  [
    "a text length fits a wider one",
    { type: "string", minLength: 2, maxLength: 3 },
    { type: "string", minLength: 1, maxLength: 9 },
  ],
  [
    "a pattern fits itself",
    { type: "string", pattern: "^a+$", maxLength: 4 },
    { type: "string", pattern: "^a+$" },
  ],
  ["a format is a remark", { type: "string", format: "date" }, { type: "string", format: "email" }],
  ["unknown keywords say nothing", { type: "string", example: "a" }, { type: "string", "x-unit": "m" }],
  [
    "items fit what items are wanted",
    { type: "array", items: integerSchema },
    { type: "array", items: numberSchema },
  ],
  [
    "a tuple fits a list of its forms",
    { type: "array", prefixItems: [textSchema, integerSchema], items: false },
    { type: "array", items: { type: ["string", "integer"] }, maxItems: 2 },
  ],
  [
    "a list of one form fits a tuple of it",
    { type: "array", items: integerSchema, maxItems: 2 },
    { type: "array", prefixItems: [integerSchema, numberSchema], items: false },
  ],
  [
    "no item is there twice where there is only one",
    { type: "array", maxItems: 1 },
    { type: "array", uniqueItems: true },
  ],
  [
    "items of a form contain one of it",
    { type: "array", items: integerSchema, minItems: 1 },
    { type: "array", contains: numberSchema },
  ],
  [
    "a closed object fits one with more optional properties",
    closedObject({ a: textSchema }, ["a"]),
    openObject({ a: textSchema, b: numberSchema }),
  ],
  [
    "a required property fits an optional one",
    openObject({ a: textSchema }, ["a"]),
    openObject({ a: textSchema }),
  ],
  ["a property that is never there may be anything", openObject({ a: false }), openObject({ a: textSchema })],
  [
    "as many properties as are required are there",
    openObject({}, ["a", "b"]),
    { type: "object", minProperties: 2 },
  ],
  [
    "no more properties than are known are there",
    closedObject({ a: textSchema, b: textSchema }),
    { type: "object", maxProperties: 2 },
  ],
  [
    "other properties of a form fit it",
    { type: "object", additionalProperties: integerSchema },
    { type: "object", additionalProperties: numberSchema },
  ],
  [
    "known properties fit a map of their form",
    closedObject({ a: integerSchema, b: integerSchema }),
    { type: "object", additionalProperties: integerSchema },
  ],
  [
    "equal patterns of names speak of the same properties",
    { type: "object", patternProperties: { "^x-": integerSchema }, additionalProperties: false },
    { type: "object", patternProperties: { "^x-": numberSchema } },
  ],
  [
    "a property is held against the pattern its name fits",
    closedObject({ "x-a": integerSchema }),
    { type: "object", patternProperties: { "^x-": numberSchema }, additionalProperties: false },
  ],
  [
    "names that are listed fit their form",
    { type: "object", propertyNames: { enum: ["a", "b"] } },
    { type: "object", propertyNames: { maxLength: 1 } },
  ],
  [
    "what depends on a property that is there is there",
    { ...openObject({}, ["a"]), dependentRequired: { a: ["b"] } },
    openObject({}, ["b"]),
  ],
  [
    "what depends on a property that is never there is never wanted",
    closedObject({ a: textSchema }),
    { type: "object", dependentRequired: { b: ["c"] } },
  ],
  [
    "a choice fits a wider choice in another order",
    { anyOf: [textSchema, integerSchema] },
    { anyOf: [numberSchema, { type: "null" }, textSchema] },
  ],
  [
    "a choice fits the list of its types",
    { anyOf: [textSchema, { type: "null" }] },
    { type: ["string", "null"] },
  ],
  [
    "a list of types fits a choice of them",
    { type: ["string", "null"] },
    { oneOf: [textSchema, { type: "null" }] },
  ],
  ["one form of several fits them", circleSchema, { oneOf: [circleSchema, squareSchema] }],
  [
    "a property with few values is told apart by them",
    closedObject({ kind: { enum: ["circle", "square"] }, radius: numberSchema, side: numberSchema }, [
      "kind",
      "radius",
      "side",
    ]),
    {
      anyOf: [
        openObject({ kind: { const: "circle" }, radius: numberSchema }, ["radius"]),
        openObject({ kind: { const: "square" }, side: numberSchema }, ["side"]),
      ],
    },
  ],
  [
    "all of several fits each of them",
    { allOf: [openObject({ a: textSchema }, ["a"]), openObject({ b: textSchema }, ["b"])] },
    openObject({ a: textSchema, b: textSchema }, ["a", "b"]),
  ],
  [
    "a whole fits all of its parts",
    openObject({ a: textSchema, b: textSchema }, ["a", "b"]),
    { allOf: [openObject({ a: textSchema }, ["a"]), openObject({ b: textSchema })] },
  ],
  ["another type is not the forbidden one", textSchema, { not: { type: "null" } }],
  [
    "what is not null is of another type",
    { not: { type: "null" } },
    { type: ["array", "boolean", "number", "object", "string"] },
  ],
  ["what is not not so is so", { not: { not: textSchema } }, textSchema],
  [
    "a value that meets a condition meets what follows",
    openObject({ a: { const: 1 }, b: textSchema }, ["a", "b"]),
    { if: openObject({ a: { const: 1 } }, ["a"]), then: { required: ["b"] } },
  ],
  [
    "what follows from a condition is known",
    { type: "object", if: { required: ["a"] }, then: { required: ["c"] }, else: { required: ["c"] } },
    openObject({}, ["c"]),
  ],
  ["a tree fits a tree that asks for less", treeSchema(integerSchema, ["value"]), treeSchema(numberSchema)],
  ["a tree is JSON", treeSchema(integerSchema), jsonSchema],
  [
    "a list that is nested without end fits itself written otherwise",
    { $ref: "#/$defs/l", $defs: { l: { type: "array", items: { $ref: "#/$defs/l" } } } },
    { type: "array", items: { $ref: "#" } },
  ],
  [
    "what is spoken of in all parts is evaluated",
    { allOf: [openObject({ a: textSchema })], properties: { b: textSchema }, unevaluatedProperties: false },
    closedObject({ a: textSchema, b: textSchema }),
  ],
  [
    "a closed object fits what evaluates its properties",
    closedObject({ a: textSchema, b: textSchema }),
    { allOf: [openObject({ a: textSchema })], properties: { b: textSchema }, unevaluatedProperties: false },
  ],
  [
    "older dialects mean the same by other words",
    draft07({ type: "array", items: [textSchema, integerSchema], additionalItems: false }),
    { type: "array", prefixItems: [textSchema, numberSchema], items: false },
  ],
  [
    "equal schemas fit, whatever they say",
    { type: "string", anyOf: [{ pattern: "^a" }, { pattern: "b$" }] },
    { anyOf: [{ pattern: "^a" }, { pattern: "b$" }], type: "string" },
  ],
];
