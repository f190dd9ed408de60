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

/** Every value of the first schema fits the second. */
export const compatiblePairs: readonly SchemaPair[] = [
  ["any schema fits an empty schema", { type: ["string", "null"] }, {}],
  ["the schema false fits every schema", false, textSchema],
  [
    "a schema that cannot be satisfied fits every schema",
    { type: "integer", minimum: 3, maximum: 2 },
    textSchema,
  ],
  ["a type fits a list that contains it", textSchema, { type: ["null", "string"] }],
  ["integers are numbers", integerSchema, numberSchema],
  ["multiples of a whole number are integers", { type: "number", multipleOf: 2 }, integerSchema],
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
    "an exclusive bound fits the inclusive bound",
    { type: "number", exclusiveMinimum: 0 },
    { type: "number", minimum: 0 },
  ],
  [
    "integers from 1 fit an exclusive minimum of 0",
    { type: "integer", minimum: 1 },
    { type: "number", exclusiveMinimum: 0 },
  ],
  [
    "integers above 0 fit a minimum of 1",
    { type: "integer", exclusiveMinimum: 0 },
    { type: "integer", minimum: 1 },
  ],
  [
    "multiples of 10 are multiples of 5",
    { type: "integer", multipleOf: 10 },
    { type: "integer", multipleOf: 5 },
  ],
  [
    "multiples of 0.01 are multiples of 0.001",
    { type: "number", multipleOf: 0.01 },
    { type: "number", multipleOf: 0.001 },
  ],
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
  ["a format is an annotation", { type: "string", format: "date" }, { type: "string", format: "email" }],
  ["unknown keywords are ignored", { type: "string", example: "a" }, { type: "string", "x-unit": "m" }],
  [
    "items fit a wider item schema",
    { type: "array", items: integerSchema },
    { type: "array", items: numberSchema },
  ],
  [
    "a tuple fits a list with all of its item types",
    { type: "array", prefixItems: [textSchema, integerSchema], items: false },
    { type: "array", items: { type: ["string", "integer"] }, maxItems: 2 },
  ],
  [
    "a list fits a tuple of its item schema",
    { type: "array", items: integerSchema, maxItems: 2 },
    { type: "array", prefixItems: [integerSchema, numberSchema], items: false },
  ],
  [
    "a list of one item has unique items",
    { type: "array", maxItems: 1 },
    { type: "array", uniqueItems: true },
  ],
  [
    "items of a schema satisfy contains",
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
  ["a forbidden property fits any schema", openObject({ a: false }), openObject({ a: textSchema })],
  [
    "required properties satisfy minProperties",
    openObject({}, ["a", "b"]),
    { type: "object", minProperties: 2 },
  ],
  [
    "known properties satisfy maxProperties",
    closedObject({ a: textSchema, b: textSchema }),
    { type: "object", maxProperties: 2 },
  ],
  [
    "additional properties fit a wider schema",
    { type: "object", additionalProperties: integerSchema },
    { type: "object", additionalProperties: numberSchema },
  ],
  [
    "known properties fit a map of their schema",
    closedObject({ a: integerSchema, b: integerSchema }),
    { type: "object", additionalProperties: integerSchema },
  ],
  [
    "equal name patterns apply to the same properties",
    { type: "object", patternProperties: { "^x-": integerSchema }, additionalProperties: false },
    { type: "object", patternProperties: { "^x-": numberSchema } },
  ],
  [
    "a property is checked against the pattern that its name matches",
    closedObject({ "x-a": integerSchema }),
    { type: "object", patternProperties: { "^x-": numberSchema }, additionalProperties: false },
  ],
  [
    "listed names fit the schema of names",
    { type: "object", propertyNames: { enum: ["a", "b"] } },
    { type: "object", propertyNames: { maxLength: 1 } },
  ],
  [
    "dependencies of a required property are present",
    { ...openObject({}, ["a"]), dependentRequired: { a: ["b"] } },
    openObject({}, ["b"]),
  ],
  [
    "dependencies of a forbidden property are never required",
    closedObject({ a: textSchema }),
    { type: "object", dependentRequired: { b: ["c"] } },
  ],
  [
    "a union fits a wider union in another order",
    { anyOf: [textSchema, integerSchema] },
    { anyOf: [numberSchema, { type: "null" }, textSchema] },
  ],
  [
    "a union fits the list of its types",
    { anyOf: [textSchema, { type: "null" }] },
    { type: ["string", "null"] },
  ],
  [
    "a list of types fits a union of them",
    { type: ["string", "null"] },
    { oneOf: [textSchema, { type: "null" }] },
  ],
  ["a member of oneOf fits it", circleSchema, { oneOf: [circleSchema, squareSchema] }],
  [
    "a union over a property with few values is split by these values",
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
    "allOf fits its parts combined",
    { allOf: [openObject({ a: textSchema }, ["a"]), openObject({ b: textSchema }, ["b"])] },
    openObject({ a: textSchema, b: textSchema }, ["a", "b"]),
  ],
  [
    "a schema fits allOf of its parts",
    openObject({ a: textSchema, b: textSchema }, ["a", "b"]),
    { allOf: [openObject({ a: textSchema }, ["a"]), openObject({ b: textSchema })] },
  ],
  ["a type fits the negation of another type", textSchema, { not: { type: "null" } }],
  [
    "a value that is not null has another type",
    { not: { type: "null" } },
    { type: ["array", "boolean", "number", "object", "string"] },
  ],
  ["a double negation fits its schema", { not: { not: textSchema } }, textSchema],
  [
    "a value that satisfies if satisfies then",
    openObject({ a: { const: 1 }, b: textSchema }, ["a", "b"]),
    { if: openObject({ a: { const: 1 } }, ["a"]), then: { required: ["b"] } },
  ],
  [
    "a property required by then and by else is required",
    { type: "object", if: { required: ["a"] }, then: { required: ["c"] }, else: { required: ["c"] } },
    openObject({}, ["c"]),
  ],
  ["a tree fits a less restrictive tree", treeSchema(integerSchema, ["value"]), treeSchema(numberSchema)],
  ["a tree is JSON", treeSchema(integerSchema), jsonSchema],
  [
    "a recursive list fits the same list in another notation",
    { $ref: "#/$defs/l", $defs: { l: { type: "array", items: { $ref: "#/$defs/l" } } } },
    { type: "array", items: { $ref: "#" } },
  ],
  [
    "properties of all parts are evaluated",
    { allOf: [openObject({ a: textSchema })], properties: { b: textSchema }, unevaluatedProperties: false },
    closedObject({ a: textSchema, b: textSchema }),
  ],
  [
    "a closed object fits a schema that evaluates its properties",
    closedObject({ a: textSchema, b: textSchema }),
    { allOf: [openObject({ a: textSchema })], properties: { b: textSchema }, unevaluatedProperties: false },
  ],
  [
    "older dialects express the same by other keywords",
    draft07({ type: "array", items: [textSchema, integerSchema], additionalItems: false }),
    { type: "array", prefixItems: [textSchema, numberSchema], items: false },
  ],
  [
    "equal schemas fit, even if their keywords cannot be compared",
    { type: "string", anyOf: [{ pattern: "^a" }, { pattern: "b$" }] },
    { anyOf: [{ pattern: "^a" }, { pattern: "b$" }], type: "string" },
  ],
];
