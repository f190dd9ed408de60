const headerExtension = "x-mcp-header";
const paramHeaderPattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const headerTypes: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);

/** The mark is invalid here, because the value may be absent. */
const unreachableKeywords = [
  "items",
  "prefixItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "propertyNames",
  "patternProperties",
  "dependentSchemas",
  "oneOf",
  "anyOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "$defs",
  "definitions",
];
const namedSchemaKeywords: ReadonlySet<string> = new Set([
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);

export interface ParamHeader {
  readonly path: readonly string[];
  readonly header: string;
}

/** Arguments that the modern era repeats as HTTP headers; undefined if the tool must not be used. */
export const readParamHeaders = (inputSchema: unknown): readonly ParamHeader[] | undefined => {
  const found: ParamHeader[] = [];
  const seen = new Set<string>();

  const visit = (node: unknown, path: readonly string[], isReachable: boolean): boolean => {
    if (typeof node !== "object" || node === null) return true;
    const schema = node as Readonly<Record<string, unknown>>;
    const name = schema[headerExtension];
    if (name !== undefined) {
      if (!isReachable || path.length === 0 || typeof name !== "string" || !paramHeaderPattern.test(name))
        return false;
      if (!headerTypes.has(schema.type) || seen.has(name.toLowerCase())) return false;
      seen.add(name.toLowerCase());
      found.push({ path, header: `Mcp-Param-${name}` });
    }
    if (typeof schema.properties === "object" && schema.properties !== null) {
      for (const [key, child] of Object.entries(schema.properties)) {
        if (!visit(child, [...path, key], isReachable)) return false;
      }
    }
    for (const keyword of unreachableKeywords) {
      const value = schema[keyword];
      if (value === undefined) continue;
      const branches =
        namedSchemaKeywords.has(keyword) && typeof value === "object" && value !== null
          ? Object.values(value)
          : [value].flat();
      if (!branches.every((branch) => visit(branch, path, false))) return false;
    }
    return true;
  };

  return visit(inputSchema, [], true) ? found : undefined;
};

const plainHeaderPattern = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;
const base64HeaderPattern = /^=\?base64\?.*\?=$/s;

export const toHeaderValue = (text: string): string =>
  plainHeaderPattern.test(text) && !base64HeaderPattern.test(text)
    ? text
    : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;

const toHeaderText = (value: unknown): string | undefined => {
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    if (!Number.isFinite(value) || Number.isInteger(value)) return undefined;
  } else if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") {
    return undefined;
  }
  return toHeaderValue(String(value));
};

export const paramHeadersOf = (headers: readonly ParamHeader[], input: unknown): Record<string, string> => {
  const values: Record<string, string> = {};
  for (const { path, header } of headers) {
    let value = input;
    for (const key of path) {
      value =
        typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
    }
    const text = toHeaderText(value);
    if (text !== undefined) values[header] = text;
  }
  return values;
};
