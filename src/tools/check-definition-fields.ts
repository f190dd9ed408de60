import { isRecord } from "../schema/record.ts";
import { ToolDefinitionError } from "../words/errors.ts";
import { noSchemaModes, risks } from "../words/spec.ts";
import { readMeta } from "./tool-meta.ts";

/** Says what a field's value should have been, or nothing. */
type FieldRule = (value: unknown) => string | undefined;

const anything: FieldRule = () => undefined;
const boolean: FieldRule = (value) => (typeof value === "boolean" ? undefined : "true or false");
const text: FieldRule = (value) =>
  typeof value === "string" && value !== "" ? undefined : "a non-empty string";
const oneOf =
  (...values: readonly string[]): FieldRule =>
  (value) =>
    values.includes(value as string) ? undefined : `one of ${values.map((each) => `"${each}"`).join(", ")}`;
const listOf =
  (type: "string" | "function"): FieldRule =>
  (value) =>
    Array.isArray(value) && value.every((each) => typeof each === type) ? undefined : `a list of ${type}s`;

const annotations: Readonly<Record<string, FieldRule>> = {
  title: text,
  readOnly: boolean,
  idempotent: boolean,
  destructive: boolean,
  openWorld: boolean,
};

const validator: Readonly<Record<string, FieldRule>> = {
  name: text,
  version: text,
  compile: (value) => (typeof value === "function" ? undefined : "a function"),
  when: oneOf("definition", "hydration"),
};

const fields: Readonly<Record<string, FieldRule>> = {
  type: oneOf("function"),
  name: anything,
  description: anything,
  input: anything,
  parameters: anything,
  output: anything,
  returnType: text,
  signature: text,
  category: oneOf("search", "file", "code", "http", "data", "custom"),
  risk: oneOf(...risks),
  timeout: anything,
  requiresApproval: boolean,
  maxCost: (value) =>
    typeof value === "number" && Number.isFinite(value) && value >= 0 ? undefined : "a number from 0 on",
  source: text,
  tags: listOf("string"),
  meta: (value) =>
    readMeta(value) === undefined
      ? 'an object of names with a namespace, such as "acme.com/owner", and JSON of at most 16,384 characters'
      : undefined,
  annotations: (value) => (isRecord(value) ? undefined : "an object"),
  validate: oneOf("strict", "lenient"),
  strict: boolean,
  allowNoSchema: boolean,
  noSchemaMode: oneOf(...noSchemaModes),
  validator: (value) =>
    isRecord(value) && value.compile !== undefined ? undefined : "an object with `compile: (schema) => …`",
  layers: listOf("function"),
  run: anything,
  implementation: anything,
};

/** What other systems call the same thing. */
const synonyms: Readonly<Record<string, string>> = {
  riskLevel: "risk",
  timeoutMs: "timeout",
  handler: "run",
  execute: "run",
  inputSchema: "input",
  schema: "input",
  outputSchema: "output",
  _meta: "meta",
  metadata: "meta",
  readOnly: "annotations.readOnly",
  readOnlyHint: "annotations.readOnly",
  idempotent: "annotations.idempotent",
  destructive: "annotations.destructive",
};

/** A field nobody reads is a promise nobody keeps, so a misspelled one is refused. */
export const checkFields = (definition: object, name: string): void => {
  check(definition, fields, "", name);
  for (const [field, rules] of Object.entries({ annotations, validator })) {
    const given = (definition as Readonly<Record<string, unknown>>)[field];
    if (isRecord(given)) check(given, rules, `${field}.`, name);
  }
};

const check = (
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
        ? `has a field \`${prefix}${field}\`, which means nothing here. ${adviceFor(field, rules, prefix)}`
        : `has a \`${prefix}${field}\` that is ${show(value)}; it must be ${expected}.`;
    throw new ToolDefinitionError("invalid_definition", `The tool "${name}" ${why}`, { tool: name });
  }
};

const adviceFor = (field: string, rules: Readonly<Record<string, FieldRule>>, prefix: string): string => {
  const meant = Object.hasOwn(synonyms, field) && prefix === "" ? synonyms[field] : undefined;
  return meant === undefined
    ? `The fields are: ${Object.keys(rules)
        .map((each) => prefix + each)
        .join(", ")}.`
    : `It is called \`${meant}\`.`;
};

const show = (value: unknown): string =>
  typeof value === "string"
    ? JSON.stringify(value.slice(0, 40))
    : value === null
      ? "null"
      : `a ${typeof value}`;
