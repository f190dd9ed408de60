import type { JsonSchema } from "../../src/words/json.ts";
import { circle, closed, draft07, json, number, open, square, text, tree, whole } from "./schema-words.ts";

export type Pair = readonly [name: string, narrow: JsonSchema | boolean, wide: JsonSchema | boolean];

/** Every value of the first fits the second. */
export const compatible: readonly Pair[] = [
  ["anything fits the schema that says nothing", { type: ["string", "null"] }, {}],
  ["nothing fits every schema", false, text],
  ["a contradiction fits every schema", { type: "integer", minimum: 3, maximum: 2 }, text],
  ["a type fits a list that has it", text, { type: ["null", "string"] }],
  ["integers are numbers", whole, number],
  ["numbers by whole steps are integers", { type: "number", multipleOf: 2 }, whole],
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
  ["items fit what items are wanted", { type: "array", items: whole }, { type: "array", items: number }],
  [
    "a tuple fits a list of its forms",
    { type: "array", prefixItems: [text, whole], items: false },
    { type: "array", items: { type: ["string", "integer"] }, maxItems: 2 },
  ],
  [
    "a list of one form fits a tuple of it",
    { type: "array", items: whole, maxItems: 2 },
    { type: "array", prefixItems: [whole, number], items: false },
  ],
  [
    "no item is there twice where there is only one",
    { type: "array", maxItems: 1 },
    { type: "array", uniqueItems: true },
  ],
  [
    "items of a form contain one of it",
    { type: "array", items: whole, minItems: 1 },
    { type: "array", contains: number },
  ],
  [
    "a closed object fits one with more optional properties",
    closed({ a: text }, ["a"]),
    open({ a: text, b: number }),
  ],
  ["a required property fits an optional one", open({ a: text }, ["a"]), open({ a: text })],
  ["a property that is never there may be anything", open({ a: false }), open({ a: text })],
  [
    "as many properties as are required are there",
    open({}, ["a", "b"]),
    { type: "object", minProperties: 2 },
  ],
  [
    "no more properties than are known are there",
    closed({ a: text, b: text }),
    { type: "object", maxProperties: 2 },
  ],
  [
    "other properties of a form fit it",
    { type: "object", additionalProperties: whole },
    { type: "object", additionalProperties: number },
  ],
  [
    "known properties fit a map of their form",
    closed({ a: whole, b: whole }),
    { type: "object", additionalProperties: whole },
  ],
  [
    "equal patterns of names speak of the same properties",
    { type: "object", patternProperties: { "^x-": whole }, additionalProperties: false },
    { type: "object", patternProperties: { "^x-": number } },
  ],
  [
    "a property is held against the pattern its name fits",
    closed({ "x-a": whole }),
    { type: "object", patternProperties: { "^x-": number }, additionalProperties: false },
  ],
  [
    "names that are listed fit their form",
    { type: "object", propertyNames: { enum: ["a", "b"] } },
    { type: "object", propertyNames: { maxLength: 1 } },
  ],
  [
    "what depends on a property that is there is there",
    { ...open({}, ["a"]), dependentRequired: { a: ["b"] } },
    open({}, ["b"]),
  ],
  [
    "what depends on a property that is never there is never wanted",
    closed({ a: text }),
    { type: "object", dependentRequired: { b: ["c"] } },
  ],
  [
    "a choice fits a wider choice in another order",
    { anyOf: [text, whole] },
    { anyOf: [number, { type: "null" }, text] },
  ],
  ["a choice fits the list of its types", { anyOf: [text, { type: "null" }] }, { type: ["string", "null"] }],
  [
    "a list of types fits a choice of them",
    { type: ["string", "null"] },
    { oneOf: [text, { type: "null" }] },
  ],
  ["one form of several fits them", circle, { oneOf: [circle, square] }],
  [
    "a property with few values is told apart by them",
    closed({ kind: { enum: ["circle", "square"] }, radius: number, side: number }, [
      "kind",
      "radius",
      "side",
    ]),
    {
      anyOf: [
        open({ kind: { const: "circle" }, radius: number }, ["radius"]),
        open({ kind: { const: "square" }, side: number }, ["side"]),
      ],
    },
  ],
  [
    "all of several fits each of them",
    { allOf: [open({ a: text }, ["a"]), open({ b: text }, ["b"])] },
    open({ a: text, b: text }, ["a", "b"]),
  ],
  [
    "a whole fits all of its parts",
    open({ a: text, b: text }, ["a", "b"]),
    { allOf: [open({ a: text }, ["a"]), open({ b: text })] },
  ],
  ["another type is not the forbidden one", text, { not: { type: "null" } }],
  [
    "what is not null is of another type",
    { not: { type: "null" } },
    { type: ["array", "boolean", "number", "object", "string"] },
  ],
  ["what is not not so is so", { not: { not: text } }, text],
  [
    "a value that meets a condition meets what follows",
    open({ a: { const: 1 }, b: text }, ["a", "b"]),
    { if: open({ a: { const: 1 } }, ["a"]), then: { required: ["b"] } },
  ],
  [
    "what follows from a condition is known",
    { type: "object", if: { required: ["a"] }, then: { required: ["c"] }, else: { required: ["c"] } },
    open({}, ["c"]),
  ],
  ["a tree fits a tree that asks for less", tree(whole, ["value"]), tree(number)],
  ["a tree is JSON", tree(whole), json],
  [
    "a list that is nested without end fits itself written otherwise",
    { $ref: "#/$defs/l", $defs: { l: { type: "array", items: { $ref: "#/$defs/l" } } } },
    { type: "array", items: { $ref: "#" } },
  ],
  [
    "what is spoken of in all parts is evaluated",
    { allOf: [open({ a: text })], properties: { b: text }, unevaluatedProperties: false },
    closed({ a: text, b: text }),
  ],
  [
    "a closed object fits what evaluates its properties",
    closed({ a: text, b: text }),
    { allOf: [open({ a: text })], properties: { b: text }, unevaluatedProperties: false },
  ],
  [
    "older dialects mean the same by other words",
    draft07({ type: "array", items: [text, whole], additionalItems: false }),
    { type: "array", prefixItems: [text, number], items: false },
  ],
  [
    "equal schemas fit, whatever they say",
    { type: "string", anyOf: [{ pattern: "^a" }, { pattern: "b$" }] },
    { anyOf: [{ pattern: "^a" }, { pattern: "b$" }], type: "string" },
  ],
];
