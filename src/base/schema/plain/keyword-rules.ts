import { toPointer } from "../../json/json-value.ts";
import { checkPattern } from "../pattern-matcher.ts";
import { type JsonType, type PlainNode, schemaLimits } from "./plain-schema.ts";
import { refuseComplexity, refuseSchema } from "./refuse-schema.ts";
import type { SchemaDialect } from "./schema-dialect.ts";

export interface RuleContext {
  readonly schema: { readonly [keyword: string]: unknown };
  readonly dialect: SchemaDialect;
  readonly plain: Record<string, unknown>;
  readonly child: (schema: unknown, pointer: string) => PlainNode;
  readonly refer: (reference: unknown, pointer: string, dynamic: boolean) => string;
}

type KeywordRule = (site: RuleContext, value: unknown, pointer: string, keyword: string) => void;

const append = (site: RuleContext, keyword: string, nodes: readonly PlainNode[]): void => {
  site.plain[keyword] = [...((site.plain[keyword] as PlainNode[] | undefined) ?? []), ...nodes];
};

const subschemaRule: KeywordRule = (site, value, pointer, keyword) => {
  site.plain[keyword] = site.child(value, pointer);
};

type KeywordReader<T> = (value: unknown, pointer: string) => T;

const jsonTypes: ReadonlySet<string> = new Set<JsonType>([
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
]);

const refuseShape = (pointer: string, right: string): never => refuseSchema(pointer, `it is not ${right}`);

const readTypeKeyword: KeywordReader<readonly JsonType[]> = (value, pointer) => {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (names.length > 0 && names.every((name) => typeof name === "string" && jsonTypes.has(name))) {
    return names as readonly JsonType[];
  }
  return refuseShape(pointer, `a type or a list of types; types are ${[...jsonTypes].join(", ")}`);
};

const readNumberKeyword: KeywordReader<number> = (value, pointer) =>
  typeof value === "number" ? value : refuseShape(pointer, "a number");

const readDivisorKeyword: KeywordReader<number> = (value, pointer) =>
  typeof value === "number" && value > 0 ? value : refuseShape(pointer, "a number greater than 0");

const readCountKeyword: KeywordReader<number> = (value, pointer) =>
  typeof value === "number" && Number.isInteger(value) && value >= 0
    ? value
    : refuseShape(pointer, "a whole number of 0 or more");

const readBooleanKeyword: KeywordReader<boolean> = (value, pointer) =>
  typeof value === "boolean" ? value : refuseShape(pointer, "true or false");

const readNamesKeyword: KeywordReader<readonly string[]> = (value, pointer) =>
  Array.isArray(value) && value.every((each) => typeof each === "string")
    ? value
    : refuseShape(pointer, "a list of names");

const readListKeyword: KeywordReader<readonly unknown[]> = (value, pointer) =>
  Array.isArray(value) && value.length > 0 ? value : refuseShape(pointer, "a list of at least one schema");

const readMapKeyword: KeywordReader<Readonly<Record<string, unknown>>> = (value, pointer) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : refuseShape(pointer, "an object");

const readValuesKeyword: KeywordReader<readonly unknown[]> = (value, pointer) => {
  if (!Array.isArray(value)) return refuseShape(pointer, "a list of values");
  if (value.length <= schemaLimits.enumValues) return value;
  return refuseComplexity(pointer, `it lists more than ${schemaLimits.enumValues} values`);
};

const readPatternKeyword: KeywordReader<string> = (value, pointer) => {
  if (typeof value !== "string") return refuseShape(pointer, "a regular expression");
  checkPattern(value, pointer);
  return value;
};

/** These mean the same in every dialect. */
const keywordReaders: ReadonlyMap<string, KeywordReader<unknown>> = new Map<string, KeywordReader<unknown>>([
  ["type", readTypeKeyword],
  ["multipleOf", readDivisorKeyword],
  ["maximum", readNumberKeyword],
  ["exclusiveMaximum", readNumberKeyword],
  ["minimum", readNumberKeyword],
  ["exclusiveMinimum", readNumberKeyword],
  ["maxLength", readCountKeyword],
  ["minLength", readCountKeyword],
  ["pattern", readPatternKeyword],
  ["maxItems", readCountKeyword],
  ["minItems", readCountKeyword],
  ["minContains", readCountKeyword],
  ["maxContains", readCountKeyword],
  ["maxProperties", readCountKeyword],
  ["minProperties", readCountKeyword],
  ["required", readNamesKeyword],
]);

const subschemaListRule: KeywordRule = (site, value, pointer, keyword) =>
  append(
    site,
    keyword,
    readListKeyword(value, pointer).map((each, index) => site.child(each, `${pointer}/${index}`)),
  );

/** `then` and `else` have no effect without `if`. */
const branchRule: KeywordRule = (site, value, pointer, keyword) => {
  if (Object.hasOwn(site.schema, "if")) subschemaRule(site, value, pointer, keyword);
};

const itemsRule: KeywordRule = (site, value, pointer) => {
  if (!Array.isArray(value)) return subschemaRule(site, value, pointer, "items");
  if (site.dialect.tuples) return subschemaListRule(site, value, pointer, "prefixItems");
  refuseSchema(
    pointer,
    'a list is not allowed in draft 2020-12; write "prefixItems", or set "$schema" to draft-07',
  );
};

const additionalItemsRule: KeywordRule = (site, value, pointer) => {
  if (Array.isArray(site.schema.items)) subschemaRule(site, value, pointer, "items");
};

/** In 2019-09 `contains` does not evaluate items; a double `not` removes that effect. */
const containsRule: KeywordRule = (site, value, pointer) => {
  if (site.dialect.name !== "2019-09") return subschemaRule(site, value, pointer, "contains");
  const inner: Record<string, unknown> = { contains: site.child(value, pointer) };
  for (const bound of ["minContains", "maxContains"]) {
    if (Object.hasOwn(site.schema, bound)) inner[bound] = site.schema[bound];
  }
  append(site, "allOf", [{ not: { not: inner } }]);
};

const isPrimitive = (value: unknown): boolean => typeof value !== "object" || value === null;

const addChoice = (site: RuleContext, values: readonly unknown[]): void => {
  const keyword = values.every(isPrimitive) ? "enum" : "values";
  if (values.length === 0) append(site, "allOf", [false]);
  else if (site.plain.enum ?? site.plain.values) append(site, "allOf", [{ [keyword]: values }]);
  else site.plain[keyword] = values;
};

const subschemaMapRule: KeywordRule = (site, value, pointer, keyword) => {
  const entries = Object.entries(readMapKeyword(value, pointer)).map(([name, schema]) => {
    const at = pointer + toPointer([name]);
    if (keyword === "patternProperties") readPatternKeyword(name, at);
    return [name, site.child(schema, at)] as const;
  });
  // Creates an own property also for __proto__.
  site.plain[keyword] = Object.fromEntries(entries);
};

const dependenciesRule: KeywordRule = (site, value, pointer) => {
  const members = Object.entries(readMapKeyword(value, pointer));
  const at = (name: string): string => pointer + toPointer([name]);
  const names = members.filter(([, each]) => Array.isArray(each));
  const schemas = members.filter(([, each]) => !Array.isArray(each));
  append(site, "allOf", [
    {
      dependentRequired: Object.fromEntries(
        names.map(([name, each]) => [name, readNamesKeyword(each, at(name))]),
      ),
      dependentSchemas: Object.fromEntries(schemas.map(([name, each]) => [name, site.child(each, at(name))])),
    },
  ]);
};

const dependentRequiredRule: KeywordRule = (site, value, pointer) => {
  const members = Object.entries(readMapKeyword(value, pointer));
  site.plain.dependentRequired = Object.fromEntries(
    members.map(([name, each]) => [name, readNamesKeyword(each, pointer + toPointer([name]))]),
  );
};

const textRule: KeywordRule = (site, value, _pointer, keyword) => {
  if (typeof value === "string") site.plain[keyword] = value;
  if (keyword === "format" && value === "password") site.plain.secret = true;
};

/** Keywords without a rule assert nothing. */
export const keywordRules: ReadonlyMap<string, KeywordRule> = new Map<string, KeywordRule>([
  ...[...keywordReaders].map(([keyword, read]): [string, KeywordRule] => [
    keyword,
    (site, value, pointer) => {
      site.plain[keyword] = read(value, pointer);
    },
  ]),
  ...["additionalProperties", "propertyNames", "not", "if", "unevaluatedItems", "unevaluatedProperties"].map(
    (keyword): [string, KeywordRule] => [keyword, subschemaRule],
  ),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map((keyword): [string, KeywordRule] => [
    keyword,
    subschemaListRule,
  ]),
  ["then", branchRule],
  ["else", branchRule],
  ["items", itemsRule],
  ["additionalItems", additionalItemsRule],
  ["contains", containsRule],
  ["properties", subschemaMapRule],
  ["patternProperties", subschemaMapRule],
  ["dependentSchemas", subschemaMapRule],
  ["dependentRequired", dependentRequiredRule],
  ["dependencies", dependenciesRule],
  ["enum", (site, value, pointer) => addChoice(site, readValuesKeyword(value, pointer))],
  ["const", (site, value) => addChoice(site, [value])],
  [
    "uniqueItems",
    (site, value, pointer) => {
      if (readBooleanKeyword(value, pointer)) site.plain.uniqueItems = true;
    },
  ],
  ["format", textRule],
  ["description", textRule],
  [
    "writeOnly",
    (site, value) => {
      if (value === true) site.plain.secret = true;
    },
  ],
  [
    "default",
    (site, value) => {
      site.plain.default = value;
    },
  ],
  [
    "$ref",
    (site, value, pointer) => {
      site.plain.$ref = site.refer(value, pointer, false);
    },
  ],
  [
    "$dynamicRef",
    (site, value, pointer) => append(site, "allOf", [{ $ref: site.refer(value, pointer, true) }]),
  ],
]);
