import type { IncompatiblePair } from "./incompatible-pair.ts";
import {
  circleSchema,
  closedObject,
  integerSchema,
  jsonSchema,
  numberSchema,
  openObject,
  textSchema,
  treeSchema,
} from "./sample-schemas.ts";

/** Incompatible pairs of objects, unions and recursive schemas. */
export const incompatibleObjects: readonly IncompatiblePair[] = [
  [
    "an optional property does not fit a required one",
    openObject({ a: textSchema }),
    openObject({ a: textSchema }, ["a"]),
    "required: /a may be missing, but must be there",
  ],
  [
    "a property does not fit another schema of it",
    openObject({ a: numberSchema }),
    openObject({ a: integerSchema }),
    "type: /a may be number with a fraction, but must be integer",
  ],
  [
    "an open object may have a property with any value",
    openObject({ a: textSchema }),
    openObject({ a: textSchema, b: numberSchema }),
    "additionalProperties: /b may be any property, because the object is not closed, but must be number",
  ],
  [
    "an open object does not fit a closed one",
    openObject({ a: textSchema }),
    closedObject({ a: textSchema }),
    "additionalProperties: /* may be there, but must be left out",
  ],
  [
    "an unknown property does not fit",
    closedObject({ a: textSchema, b: textSchema }),
    closedObject({ a: textSchema }),
    "additionalProperties: /b may be there, but must be left out",
  ],
  [
    "a nested property does not fit",
    closedObject({ at: closedObject({ zip: textSchema }) }),
    closedObject({ at: closedObject({ zip: integerSchema }) }),
    "type: /at/zip may be string, but must be integer",
  ],
  [
    "an object may have too few properties",
    openObject({ a: textSchema }),
    { type: "object", minProperties: 1 },
    "minProperties: the value may have only 0 properties, but must have at least 1 property",
  ],
  [
    "an object may have too many properties",
    closedObject({ a: textSchema, b: textSchema }),
    { type: "object", maxProperties: 1 },
    "maxProperties: the value may have 2 properties, but must have at most 1 property",
  ],
  [
    "additional properties do not fit",
    { type: "object", additionalProperties: numberSchema },
    { type: "object", additionalProperties: integerSchema },
    "type: /* may be number with a fraction, but must be integer",
  ],
  [
    "a name may match no known pattern",
    { type: "object", patternProperties: { "^a": textSchema }, additionalProperties: false },
    { type: "object", patternProperties: { "^b": textSchema }, additionalProperties: false },
    "additionalProperties: /* may be there, but must be left out",
  ],
  [
    "a name does not fit propertyNames",
    closedObject({ long: textSchema }),
    { type: "object", propertyNames: { maxLength: 2 } },
    'propertyNames: the value may have a property "long", but must have no such name',
  ],
  [
    "a dependency of a property may be missing",
    openObject({ a: textSchema }),
    { type: "object", dependentRequired: { a: ["b"] } },
    "required: /b may be missing, but must be there",
  ],
  [
    "a union does not fit one of its members",
    { anyOf: [textSchema, integerSchema] },
    textSchema,
    "type: the value may be integer, but must be string",
  ],
  [
    "no member of a union fits",
    { type: "null" },
    { anyOf: [textSchema, integerSchema] },
    "anyOf: the value may be null, but must be string or integer",
  ],
  [
    "the reason refers to the closest member of a union",
    closedObject({ kind: { const: "circle" }, radius: textSchema }, ["kind", "radius"]),
    { oneOf: [circleSchema, { type: "array" }] },
    "type: /radius may be string, but must be number",
  ],
  [
    "several members of oneOf fit at once",
    { type: "integer", minimum: 5 },
    { oneOf: [integerSchema, numberSchema] },
    "oneOf: the value may fit several of the forms at once, but must fit exactly one of them",
  ],
  [
    "a forbidden value may occur",
    { type: ["string", "null"] },
    { not: { type: "null" } },
    "not: the value may be null, but must be not null",
  ],
  [
    "a value may satisfy if without then",
    openObject({ a: textSchema }, ["a"]),
    { if: { required: ["a"] }, then: { required: ["b"] } },
    "required: /b may be missing, but must be there",
  ],
  [
    "a tree does not fit a more restrictive tree",
    treeSchema(numberSchema),
    treeSchema(integerSchema),
    "type: /value may be number with a fraction, but must be integer",
  ],
  [
    "JSON is not a tree",
    jsonSchema,
    treeSchema({}),
    "type: the value may be null or boolean or number or string, but must be object",
  ],
  [
    "properties evaluated by only one member of a union do not close an object",
    {
      type: "object",
      unevaluatedProperties: false,
      anyOf: [openObject({ a: textSchema }), openObject({ b: textSchema })],
    },
    closedObject({ a: textSchema }),
    "additionalProperties: /* may be there, but must be left out",
  ],
  [
    "properties evaluated by one member of a union may be present",
    {
      type: "object",
      unevaluatedProperties: false,
      anyOf: [openObject({ a: textSchema }), openObject({ b: textSchema })],
    },
    { type: "object", maxProperties: 0 },
    "maxProperties: the value may have any number of properties, but must have at most 0 properties",
  ],
  [
    "a member of a union that may be skipped does not evaluate a property",
    closedObject({ a: textSchema, b: textSchema }),
    {
      ...openObject({ a: textSchema }),
      anyOf: [openObject({ b: integerSchema }, ["b"]), { maxProperties: 5 }],
      unevaluatedProperties: false,
    },
    "unevaluatedProperties: /b may be there, but must be left out",
  ],
  [
    "a property whose name matches a pattern is not an additional property",
    { type: "object", patternProperties: { "^a": textSchema }, additionalProperties: integerSchema },
    { type: "object", additionalProperties: integerSchema },
    "type: /* may be string, but must be integer",
  ],
  [
    "only items that are always present are counted",
    { type: "array", prefixItems: [textSchema], items: integerSchema, minItems: 2 },
    { type: "array", contains: integerSchema, minContains: 2 },
    "contains: the value may have fewer items of the wanted form, but must have at least 2",
  ],
  [
    "an invalid schema is not compared",
    { type: "text" },
    textSchema,
    "schema: the narrow schema cannot be checked: The schema is refused at /type: it is not a type or a list of types; types are array, boolean, integer, null, number, object, string.",
  ],
];
