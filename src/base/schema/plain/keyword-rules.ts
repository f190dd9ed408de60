import { toPointer } from "../../json/to-pointer.ts";
import {
  keywordReaders,
  readBooleanKeyword,
  readListKeyword,
  readMapKeyword,
  readNamesKeyword,
  readPatternKeyword,
  readValuesKeyword,
} from "./keyword-readers.ts";
import type { PlainNode } from "./plain-schema.ts";
import { refuseSchema } from "./refuse-schema.ts";
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
