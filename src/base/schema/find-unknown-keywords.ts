import { isObject } from "../json/json-value.ts";
import { nearest } from "../text/nearest.ts";
import { latestDialect, readDialect, type SchemaDialect, subschemas } from "./plain/schema-dialect.ts";

/** A keyword that the dialect does not define. */
export interface UnknownKeyword {
  readonly path: readonly string[];
  readonly keyword: string;
  readonly meant?: string;
  /** It looks like a property schema outside `properties`. */
  readonly isProperty: boolean;
}

/** These assert nothing. */
const annotationKeywords = [
  "$comment",
  "$id",
  "$vocabulary",
  "contentEncoding",
  "contentMediaType",
  "deprecated",
  "examples",
  "readOnly",
  "writeOnly",
];

const withAnnotations = ({ keywords }: SchemaDialect): ReadonlySet<string> =>
  new Set([...keywords, ...annotationKeywords]);

const knownByDefault = withAnnotations(latestDialect);

/** Annotations and `x-` extensions are known. */
export const findUnknownKeywords = (schema: unknown): readonly UnknownKeyword[] => {
  const isNamed = isObject(schema) && schema.$schema !== undefined;
  const known = isNamed ? withAnnotations(readDialect(schema.$schema, "")) : knownByDefault;
  const found: UnknownKeyword[] = [];
  const open: { readonly node: unknown; readonly path: readonly string[] }[] = [{ node: schema, path: [] }];
  for (const { node, path } of open) {
    if (!isObject(node)) continue;
    for (const [keyword, value] of Object.entries(node)) {
      if (!known.has(keyword)) {
        if (keyword.startsWith("x-")) continue;
        const meant = nearest(keyword, [...known]);
        found.push({
          path: [...path, keyword],
          keyword,
          ...(meant === undefined ? {} : { meant }),
          isProperty: isSchemaLike(value, known),
        });
        continue;
      }
      for (const [step, each] of subschemasOf(keyword, value))
        open.push({ node: each, path: [...path, ...step] });
    }
  }
  return found;
};

export const subschemasOf = (
  keyword: string,
  value: unknown,
): readonly (readonly [readonly string[], unknown])[] => {
  const kind = subschemas.get(keyword);
  if (kind === undefined) return [];
  if (kind === "map")
    return isObject(value) ? Object.entries(value).map(([name, each]) => [[keyword, name], each]) : [];
  if (Array.isArray(value)) return value.map((each, index) => [[keyword, String(index)], each]);
  return kind === "one" ? [[[keyword], value]] : [];
};

const isSchemaLike = (value: unknown, known: ReadonlySet<string>): boolean =>
  isObject(value) &&
  Object.keys(value).length > 0 &&
  Object.keys(value).every((keyword) => known.has(keyword));
