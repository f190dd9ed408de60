import { refuseSchema } from "./refuse-schema.ts";

/** Unlisted keywords assert nothing. */
export interface SchemaDialect {
  readonly name: string;
  /** Before 2019-09, `$ref` disables its sibling keywords. */
  readonly refAlone: boolean;
  /** Before 2020-12, `items` may be a list. */
  readonly tuples: boolean;
  readonly keywords: ReadonlySet<string>;
  /** A schema with one of these is refused. */
  readonly refused: ReadonlySet<string>;
}

const draft04 =
  "$schema $ref definitions type enum multipleOf maximum minimum maxLength minLength pattern items " +
  "additionalItems maxItems minItems uniqueItems maxProperties minProperties required properties " +
  "patternProperties additionalProperties dependencies allOf anyOf oneOf not format title description default";
const draft06 = `${draft04} $id const contains propertyNames exclusiveMaximum exclusiveMinimum`;
const draft07 = `${draft06} if then else writeOnly`;
const draft2019 =
  `${draft07} $defs $anchor minContains maxContains dependentRequired ` +
  "dependentSchemas unevaluatedItems unevaluatedProperties contentSchema";
const draft2020 = `${draft2019.replace(" additionalItems", "")} $dynamicRef $dynamicAnchor prefixItems`;

const wordSet = (text: string): ReadonlySet<string> => new Set(text === "" ? [] : text.split(" "));

export const latestDialect: SchemaDialect = {
  name: "2020-12",
  refAlone: false,
  tuples: false,
  keywords: wordSet(draft2020),
  refused: wordSet(""),
};

const olderDialect = (name: string, keywords: string, refused = ""): SchemaDialect => ({
  name,
  refAlone: name !== "2019-09",
  tuples: true,
  keywords: wordSet(keywords),
  refused: wordSet(refused),
});

const dialects: ReadonlyMap<string, SchemaDialect> = new Map([
  ["json-schema.org/draft/2020-12/schema", latestDialect],
  ["json-schema.org/draft/2019-09/schema", olderDialect("2019-09", draft2019, "$recursiveRef")],
  ["json-schema.org/draft-07/schema", olderDialect("draft-07", draft07)],
  ["json-schema.org/draft-06/schema", olderDialect("draft-06", draft06)],
  [
    "json-schema.org/draft-04/schema",
    olderDialect("draft-04", draft04, "id exclusiveMaximum exclusiveMinimum"),
  ],
]);

/** Unknown dialects are refused. */
export const readDialect = (name: unknown, pointer: string): SchemaDialect => {
  const found =
    typeof name === "string" ? dialects.get(name.replace(/^https?:\/\//, "").replace(/#$/, "")) : undefined;
  return (
    found ??
    refuseSchema(
      `${pointer}/$schema`,
      `the dialect ${JSON.stringify(name)} is unknown; the known dialects are draft 2020-12, 2019-09, draft-07, draft-06 and draft-04`,
    )
  );
};

export const subschemas: ReadonlyMap<string, "one" | "list" | "map"> = new Map(
  Object.entries({
    additionalItems: "one",
    additionalProperties: "one",
    contains: "one",
    contentSchema: "one",
    else: "one",
    if: "one",
    items: "one",
    not: "one",
    propertyNames: "one",
    then: "one",
    unevaluatedItems: "one",
    unevaluatedProperties: "one",
    allOf: "list",
    anyOf: "list",
    oneOf: "list",
    prefixItems: "list",
    $defs: "map",
    definitions: "map",
    dependencies: "map",
    dependentSchemas: "map",
    patternProperties: "map",
    properties: "map",
  } as const),
);
