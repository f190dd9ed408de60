import { copyJson } from "../base/json/copy-json.ts";
import { freezeJson } from "../base/json/json-value.ts";
import { isRecord } from "../base/schema/plain/plain-schema.ts";
import { suggestName } from "../base/text/nearest.ts";
import { ToolDefinitionError } from "../types/errors.ts";
import { type ArgumentRole, argumentRoles } from "../types/lineage.ts";
import { noSchemaModes, risks, type ToolMeta } from "../types/tool.ts";
import { keyScopes } from "./read-effect-key.ts";

/** Returns what is expected, or undefined. */
type FieldRule = (value: unknown) => string | undefined;

const anyValue: FieldRule = () => undefined;
const booleanRule: FieldRule = (value) => (typeof value === "boolean" ? undefined : "true or false");
const textRule: FieldRule = (value) =>
  typeof value === "string" && value !== "" ? undefined : "a non-empty string";
const oneOfRule =
  (...values: readonly string[]): FieldRule =>
  (value) =>
    values.includes(value as string) ? undefined : `one of ${values.map((each) => `"${each}"`).join(", ")}`;
const listRule =
  (type: "string" | "function"): FieldRule =>
  (value) =>
    Array.isArray(value) && value.every((each) => typeof each === type) ? undefined : `a list of ${type}s`;

const annotationRules: Readonly<Record<string, FieldRule>> = {
  title: textRule,
  readOnly: booleanRule,
  idempotent: booleanRule,
  destructive: booleanRule,
  openWorld: booleanRule,
  untrusted: booleanRule,
  sink: booleanRule,
  private: booleanRule,
  reversible: booleanRule,
};

const validatorRules: Readonly<Record<string, FieldRule>> = {
  name: textRule,
  version: textRule,
  compile: (value) => (typeof value === "function" ? undefined : "a function"),
  when: oneOfRule("definition", "hydration"),
};

const keyRules: Readonly<Record<string, FieldRule>> = {
  of: (value) => (typeof value === "function" ? undefined : "a function"),
  scope: oneOfRule(...keyScopes),
  retention: anyValue,
};

/** As in MCP, but the prefix is mandatory. */
const metaKeyPattern = /^[a-z0-9](?:[\w.-]*[a-z0-9])?\/[a-z0-9](?:[\w.-]*[a-z0-9])?$/i;

/** Part of every MCP tool list. */
const metaLimits = { maxLength: 16_384, maxDepth: 16 };

export const readMeta = (given: unknown): ToolMeta | undefined => {
  if (!isRecord(given) || !Object.keys(given).every((each) => metaKeyPattern.test(each))) return undefined;
  const copy = copyJson(given, metaLimits);
  return copy.ok ? (freezeJson(copy.value) as ToolMeta) : undefined;
};

const definitionRules: Readonly<Record<string, FieldRule>> = {
  type: oneOfRule("function"),
  name: anyValue,
  description: anyValue,
  input: anyValue,
  parameters: anyValue,
  output: anyValue,
  returnType: textRule,
  signature: textRule,
  category: oneOfRule("search", "file", "code", "http", "data", "custom"),
  risk: oneOfRule(...risks),
  timeout: anyValue,
  requiresApproval: booleanRule,
  maxCost: (value) =>
    typeof value === "number" && Number.isFinite(value) && value >= 0 ? undefined : "a number of at least 0",
  source: textRule,
  tags: listRule("string"),
  meta: (value) =>
    readMeta(value) === undefined
      ? 'an object of names with a namespace, such as "acme.com/owner", and JSON of at most 16,384 characters'
      : undefined,
  annotations: (value) => (isRecord(value) ? undefined : "an object"),
  roles: (value) =>
    isRecord(value) && Object.values(value).every((role) => argumentRoles.includes(role as ArgumentRole))
      ? undefined
      : `an object of argument names with one of ${argumentRoles.map((role) => `"${role}"`).join(", ")}`,
  validate: oneOfRule("strict", "lenient"),
  strict: booleanRule,
  allowNoSchema: booleanRule,
  noSchemaMode: oneOfRule(...noSchemaModes),
  validator: (value) =>
    isRecord(value) && value.compile !== undefined ? undefined : "an object with `compile: (schema) => …`",
  key: (value) =>
    typeof value === "function" || isRecord(value) ? undefined : "a function, or an object with `of`",
  reconcile: (value) => (typeof value === "function" ? undefined : "a function"),
  layers: listRule("function"),
  run: anyValue,
  implementation: anyValue,
};

/** Names in other systems. */
const synonyms: Readonly<Record<string, string>> = {
  riskLevel: "risk",
  timeoutMs: "timeout",
  handler: "run",
  execute: "run",
  inputSchema: "input",
  schema: "input",
  outputSchema: "output",
  idempotencyKey: "key",
  _meta: "meta",
  metadata: "meta",
  readOnly: "annotations.readOnly",
  readOnlyHint: "annotations.readOnly",
  idempotent: "annotations.idempotent",
  destructive: "annotations.destructive",
};

/** A misspelled field would have no effect. */
export const checkDefinitionFields = (definition: object, name: string): void => {
  checkAgainstRules(definition, definitionRules, "", name);
  for (const [field, rules] of Object.entries({
    annotations: annotationRules,
    validator: validatorRules,
    key: keyRules,
  })) {
    const given = (definition as Readonly<Record<string, unknown>>)[field];
    if (isRecord(given)) checkAgainstRules(given, rules, `${field}.`, name);
  }
};

const checkAgainstRules = (
  given: object,
  rules: Readonly<Record<string, FieldRule>>,
  prefix: string,
  name: string,
): void => {
  for (const [field, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const rule = Object.hasOwn(rules, field) ? rules[field] : undefined;
    const expected = rule?.(value);
    if (rule !== undefined && expected === undefined) continue;
    const why =
      rule === undefined
        ? `has an unknown field \`${prefix}${field}\`. ${fieldHint(field, rules, prefix)}`
        : `has a \`${prefix}${field}\` that is ${describeValue(value)}; it must be ${expected}.`;
    throw new ToolDefinitionError("invalid_definition", `The tool "${name}" ${why}`, { tool: name });
  }
};

const fieldHint = (field: string, rules: Readonly<Record<string, FieldRule>>, prefix: string): string => {
  const meant = Object.hasOwn(synonyms, field) && prefix === "" ? synonyms[field] : undefined;
  if (meant !== undefined) return `It is called \`${meant}\`.`;
  const known = Object.keys(rules).map((each) => prefix + each);
  return `${suggestName(prefix + field, known)} The fields are: ${known.join(", ")}.`.trimStart();
};

const describeValue = (value: unknown): string =>
  typeof value === "string"
    ? JSON.stringify(value.slice(0, 40))
    : value === null
      ? "null"
      : `a ${typeof value}`;

/** Models read these, people do not see them. */
const hiddenCharacters = /[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u;

/** A reviewer must see what the model reads. */
export const checkDescription = (description: unknown, name: string): void => {
  if (typeof description !== "string" || description.trim() === "") {
    throw new ToolDefinitionError(
      "invalid_definition",
      `The tool "${name}" needs a description: one or two sentences by which a model decides when to use it.`,
      { tool: name },
    );
  }
  const found = hiddenCharacters.exec(description);
  if (found === null) return;
  const code = (found[0].codePointAt(0) as number).toString(16).toUpperCase();
  throw new ToolDefinitionError(
    "invalid_definition",
    `The description of "${name}" contains the invisible character U+${code} at position ${found.index}: a model would read what a person cannot see. Remove it.`,
    { tool: name },
  );
};
