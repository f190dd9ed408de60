import { toPointer } from "../../json/pointer.ts";
import type { SchemaDialect } from "./dialect.ts";
import {
  assertions,
  readBoolean,
  readList,
  readMap,
  readNames,
  readPatternText,
  readValues,
} from "./keyword-shapes.ts";
import type { PlainNode } from "./plain-schema.ts";
import { refuseSchema } from "./refusal.ts";

/** One schema on its way to the plain form. */
export interface Site {
  readonly schema: { readonly [keyword: string]: unknown };
  readonly dialect: SchemaDialect;
  readonly plain: Record<string, unknown>;
  readonly child: (schema: unknown, pointer: string) => PlainNode;
  readonly refer: (reference: unknown, pointer: string, dynamic: boolean) => string;
}

type KeywordRule = (site: Site, value: unknown, pointer: string, keyword: string) => void;

const append = (site: Site, keyword: string, nodes: readonly PlainNode[]): void => {
  site.plain[keyword] = [...((site.plain[keyword] as PlainNode[] | undefined) ?? []), ...nodes];
};

const one: KeywordRule = (site, value, pointer, keyword) => {
  site.plain[keyword] = site.child(value, pointer);
};

const list: KeywordRule = (site, value, pointer, keyword) =>
  append(
    site,
    keyword,
    readList(value, pointer).map((each, index) => site.child(each, `${pointer}/${index}`)),
  );

/** Without `if` these say nothing. */
const branch: KeywordRule = (site, value, pointer, keyword) => {
  if (Object.hasOwn(site.schema, "if")) one(site, value, pointer, keyword);
};

const items: KeywordRule = (site, value, pointer) => {
  if (!Array.isArray(value)) return one(site, value, pointer, "items");
  if (site.dialect.tuples) return list(site, value, pointer, "prefixItems");
  refuseSchema(
    pointer,
    'a list here is not draft 2020-12; write "prefixItems", or name draft-07 in "$schema"',
  );
};

const additionalItems: KeywordRule = (site, value, pointer) => {
  if (Array.isArray(site.schema.items)) one(site, value, pointer, "items");
};

/** In 2019-09 an item that `contains` found is not evaluated by that; behind two `not` nobody hears of it. */
const contains: KeywordRule = (site, value, pointer) => {
  if (site.dialect.name !== "2019-09") return one(site, value, pointer, "contains");
  const inner: Record<string, unknown> = { contains: site.child(value, pointer) };
  for (const bound of ["minContains", "maxContains"]) {
    if (Object.hasOwn(site.schema, bound)) inner[bound] = site.schema[bound];
  }
  append(site, "allOf", [{ not: { not: inner } }]);
};

const isPrimitive = (value: unknown): boolean => typeof value !== "object" || value === null;

const choice = (site: Site, values: readonly unknown[]): void => {
  const keyword = values.every(isPrimitive) ? "enum" : "values";
  if (values.length === 0) append(site, "allOf", [false]);
  else if (site.plain.enum ?? site.plain.values) append(site, "allOf", [{ [keyword]: values }]);
  else site.plain[keyword] = values;
};

const map: KeywordRule = (site, value, pointer, keyword) => {
  const entries = Object.entries(readMap(value, pointer)).map(([name, schema]) => {
    const at = pointer + toPointer([name]);
    if (keyword === "patternProperties") readPatternText(name, at);
    return [name, site.child(schema, at)] as const;
  });
  // Unlike assignment this gives an object a key of its own that is called __proto__.
  site.plain[keyword] = Object.fromEntries(entries);
};

const dependencies: KeywordRule = (site, value, pointer) => {
  const members = Object.entries(readMap(value, pointer));
  const at = (name: string): string => pointer + toPointer([name]);
  const names = members.filter(([, each]) => Array.isArray(each));
  const schemas = members.filter(([, each]) => !Array.isArray(each));
  append(site, "allOf", [
    {
      dependentRequired: Object.fromEntries(names.map(([name, each]) => [name, readNames(each, at(name))])),
      dependentSchemas: Object.fromEntries(schemas.map(([name, each]) => [name, site.child(each, at(name))])),
    },
  ]);
};

const dependentRequired: KeywordRule = (site, value, pointer) => {
  const members = Object.entries(readMap(value, pointer));
  site.plain.dependentRequired = Object.fromEntries(
    members.map(([name, each]) => [name, readNames(each, pointer + toPointer([name]))]),
  );
};

const text: KeywordRule = (site, value, _pointer, keyword) => {
  if (typeof value === "string") site.plain[keyword] = value;
  if (keyword === "format" && value === "password") site.plain.secret = true;
};

/** What each keyword becomes. A keyword without a rule, such as `$defs`, says nothing where it stands. */
export const rules: ReadonlyMap<string, KeywordRule> = new Map<string, KeywordRule>([
  ...[...assertions].map(([keyword, read]): [string, KeywordRule] => [
    keyword,
    (site, value, pointer) => {
      site.plain[keyword] = read(value, pointer);
    },
  ]),
  ...["additionalProperties", "propertyNames", "not", "if", "unevaluatedItems", "unevaluatedProperties"].map(
    (keyword): [string, KeywordRule] => [keyword, one],
  ),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map((keyword): [string, KeywordRule] => [keyword, list]),
  ["then", branch],
  ["else", branch],
  ["items", items],
  ["additionalItems", additionalItems],
  ["contains", contains],
  ["properties", map],
  ["patternProperties", map],
  ["dependentSchemas", map],
  ["dependentRequired", dependentRequired],
  ["dependencies", dependencies],
  ["enum", (site, value, pointer) => choice(site, readValues(value, pointer))],
  ["const", (site, value) => choice(site, [value])],
  [
    "uniqueItems",
    (site, value, pointer) => {
      if (readBoolean(value, pointer)) site.plain.uniqueItems = true;
    },
  ],
  ["format", text],
  ["description", text],
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
