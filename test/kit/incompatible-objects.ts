import type { Refused } from "./refused-pair.ts";
import { circle, closed, json, number, open, text, tree, whole } from "./schema-words.ts";

/** The same for objects, choices and what refers to itself. */
export const incompatibleObjects: readonly Refused[] = [
  [
    "an optional property does not fit a required one",
    open({ a: text }),
    open({ a: text }, ["a"]),
    "required: /a may be missing, but must be there",
  ],
  [
    "a property does not fit another form of it",
    open({ a: number }),
    open({ a: whole }),
    "type: /a may be number with a fraction, but must be integer",
  ],
  [
    "an open object may have a property of any form",
    open({ a: text }),
    open({ a: text, b: number }),
    "additionalProperties: /b may be anything, since nothing closes the object, but must be number",
  ],
  [
    "an open object does not fit a closed one",
    open({ a: text }),
    closed({ a: text }),
    "additionalProperties: /* may be there, but must be left out",
  ],
  [
    "a property that is not known does not fit",
    closed({ a: text, b: text }),
    closed({ a: text }),
    "additionalProperties: /b may be there, but must be left out",
  ],
  [
    "a nested property does not fit",
    closed({ at: closed({ zip: text }) }),
    closed({ at: closed({ zip: whole }) }),
    "type: /at/zip may be string, but must be integer",
  ],
  [
    "an object may have too few properties",
    open({ a: text }),
    { type: "object", minProperties: 1 },
    "minProperties: the value may have only 0 properties, but must have at least 1 property",
  ],
  [
    "an object may have too many properties",
    closed({ a: text, b: text }),
    { type: "object", maxProperties: 1 },
    "maxProperties: the value may have 2 properties, but must have at most 1 property",
  ],
  [
    "other properties do not fit",
    { type: "object", additionalProperties: number },
    { type: "object", additionalProperties: whole },
    "type: /* may be number with a fraction, but must be integer",
  ],
  [
    "a name may fit no pattern that is known",
    { type: "object", patternProperties: { "^a": text }, additionalProperties: false },
    { type: "object", patternProperties: { "^b": text }, additionalProperties: false },
    "additionalProperties: /* may be there, but must be left out",
  ],
  [
    "a name does not fit",
    closed({ long: text }),
    { type: "object", propertyNames: { maxLength: 2 } },
    'propertyNames: the value may have a property "long", but must have no such name',
  ],
  [
    "what depends on a property may be missing",
    open({ a: text }),
    { type: "object", dependentRequired: { a: ["b"] } },
    "required: /b may be missing, but must be there",
  ],
  [
    "a choice does not fit one of its forms",
    { anyOf: [text, whole] },
    text,
    "type: the value may be integer, but must be string",
  ],
  [
    "no form fits",
    { type: "null" },
    { anyOf: [text, whole] },
    "anyOf: the value may be null, but must be string or integer",
  ],
  [
    "of several forms the one that was meant is told of",
    closed({ kind: { const: "circle" }, radius: text }, ["kind", "radius"]),
    { oneOf: [circle, { type: "array" }] },
    "type: /radius may be string, but must be number",
  ],
  [
    "several forms fit at once",
    { type: "integer", minimum: 5 },
    { oneOf: [whole, number] },
    "oneOf: the value may fit several of the forms at once, but must fit exactly one of them",
  ],
  [
    "the forbidden may be there",
    { type: ["string", "null"] },
    { not: { type: "null" } },
    "not: the value may be null, but must be not null",
  ],
  [
    "a condition may be met without what follows",
    open({ a: text }, ["a"]),
    { if: { required: ["a"] }, then: { required: ["b"] } },
    "required: /b may be missing, but must be there",
  ],
  [
    "a tree does not fit a tree that asks for more",
    tree(number),
    tree(whole),
    "type: /value may be number with a fraction, but must be integer",
  ],
  [
    "JSON is not a tree",
    json,
    tree({}),
    "type: the value may be null or boolean or number or string, but must be object",
  ],
  [
    "what is evaluated only in a choice is not closed",
    { type: "object", unevaluatedProperties: false, anyOf: [open({ a: text }), open({ b: text })] },
    closed({ a: text }),
    "additionalProperties: /* may be there, but must be left out",
  ],
  [
    "what is evaluated in one case is there in it",
    { type: "object", unevaluatedProperties: false, anyOf: [open({ a: text }), open({ b: text })] },
    { type: "object", maxProperties: 0 },
    "maxProperties: the value may have any number of properties, but must have at most 0 properties",
  ],
  [
    "a choice that may hold without it does not evaluate a property",
    closed({ a: text, b: text }),
    {
      ...open({ a: text }),
      anyOf: [open({ b: whole }, ["b"]), { maxProperties: 5 }],
      unevaluatedProperties: false,
    },
    "unevaluatedProperties: /b may be there, but must be left out",
  ],
  [
    "a name that fits a pattern is no other property",
    { type: "object", patternProperties: { "^a": text }, additionalProperties: whole },
    { type: "object", additionalProperties: whole },
    "type: /* may be string, but must be integer",
  ],
  [
    "only the items that are surely there are counted",
    { type: "array", prefixItems: [text], items: whole, minItems: 2 },
    { type: "array", contains: whole, minContains: 2 },
    "contains: the value may have fewer items of the wanted form, but must have at least 2",
  ],
  [
    "a schema that cannot be read is not compared",
    { type: "text" },
    text,
    "schema: the narrow schema cannot be judged: The schema is refused at /type: it is not a type or a list of types; types are array, boolean, integer, null, number, object, string.",
  ],
];
