import type { JsonSchema } from "../../types/json.ts";
import type { Validation, Validator } from "../../types/tool.ts";
import { hashJson } from "../json/canonical-json.ts";
import { isObject } from "../json/json-value.ts";
import { compilePlain } from "./compiled/compile-plain.ts";
import { evaluationContext, type SchemaEvaluator, startEvaluationBudget } from "./evaluate/context.ts";
import { explainMismatch, schemaEvaluator } from "./evaluate/schema-evaluator.ts";
import { toIssue } from "./issues.ts";
import { definitionIndexOf, type PlainKeywords, type PlainNode, schemaLimits } from "./plain/plain-schema.ts";
import { toPlainSchema } from "./plain/to-plain-schema.ts";
import { inspectSchema, type SchemaDocuments } from "./standard-schema.ts";

export interface CompileOptions {
  /** Draft 2020-12 treats formats as annotations. */
  readonly formats?: "annotate" | "assert";
  /** Schemas that `$ref` may reference by URI. */
  readonly documents?: SchemaDocuments;
}

type ValidateValue = (value: unknown) => Validation;

export const schemaEngine = "haft schema 1";

const maxCompiledSchemas = 1_000;
const compiledSchemas = new Map<string, ValidateValue>();

/** Returns functions that undo it. */
type DefaultsFiller = (value: unknown) => readonly (() => void)[];

type MutableObject = Record<string, unknown>;
/** Branches of a choice never fill defaults. */
const included = (node: PlainKeywords): readonly PlainNode[] => node.allOf ?? [];

const nested = (node: PlainKeywords): readonly PlainNode[] => [
  ...Object.values(node.properties ?? {}),
  ...(node.prefixItems ?? []),
  ...[node.items, node.additionalProperties].filter((each) => each !== undefined),
];

/** The nodes on a path to a default. */
const findDefaultPaths = (definitions: readonly PlainNode[]): Set<PlainNode> => {
  const parents = new Map<PlainNode, PlainNode[]>();
  const defaultPaths: PlainNode[] = [];
  const visit = (node: PlainNode): void => {
    if (typeof node === "boolean") return;
    const target = node.$ref === undefined ? [] : [definitions[definitionIndexOf(node.$ref)]!];
    const children = [...included(node), ...nested(node)];
    for (const child of [...target, ...children]) {
      if (typeof child === "boolean") continue;
      parents.set(child, [...(parents.get(child) ?? []), node]);
    }
    const fills = Object.values(node.properties ?? {}).some(
      (each) => typeof each !== "boolean" && "default" in each,
    );
    if (fills) defaultPaths.push(node);
    for (const child of children) visit(child);
  };
  for (const node of definitions) visit(node);
  const found = new Set<PlainNode>();
  for (let node = defaultPaths.pop(); node !== undefined; node = defaultPaths.pop()) {
    if (found.has(node)) continue;
    found.add(node);
    defaultPaths.push(...(parents.get(node) ?? []));
  }
  return found;
};

/** A default that violates its own schema is ignored. */
const fillDefaults = (evaluator: SchemaEvaluator): DefaultsFiller | undefined => {
  const { definitions } = evaluator.context.schema;
  const defaultPaths = findDefaultPaths(definitions);
  if (!defaultPaths.has(definitions[0]!)) return undefined;
  const validDefaults = new Map<PlainNode, boolean>();

  const isValidDefault = (node: PlainKeywords): boolean => {
    if (!("default" in node)) return false;
    const known = validDefaults.get(node) ?? evaluator.holds(node, node.default);
    validDefaults.set(node, known);
    return known;
  };

  const fillMembers = (node: PlainKeywords, value: MutableObject, undo: (() => void)[]): void => {
    for (const [key, schema] of Object.entries(node.properties ?? {})) {
      const has = Object.hasOwn(value, key);
      if (!has && typeof schema !== "boolean" && isValidDefault(schema) && Object.isExtensible(value)) {
        value[key] = typeof schema.default === "object" ? structuredClone(schema.default) : schema.default;
        undo.push(() => delete value[key]);
      }
      if (Object.hasOwn(value, key)) visit(schema, value[key], undo);
    }
    const { additionalProperties, properties = {} } = node;
    if (additionalProperties === undefined || !defaultPaths.has(additionalProperties)) return;
    for (const key of Object.keys(value)) {
      if (!Object.hasOwn(properties, key)) visit(additionalProperties, value[key], undo);
    }
  };

  const visit = (node: PlainNode, value: unknown, undo: (() => void)[]): void => {
    if (typeof node === "boolean" || !defaultPaths.has(node)) return;
    if (node.$ref !== undefined) visit(evaluator.context.follow(node.$ref), value, undo);
    for (const each of included(node)) visit(each, value, undo);
    if (isObject(value)) fillMembers(node, value, undo);
    if (!Array.isArray(value)) return;
    const { prefixItems = [], items = true } = node;
    value.forEach((item, index) => {
      visit(prefixItems[index] ?? items, item, undo);
    });
  };

  return (value) => {
    const undo: (() => void)[] = [];
    visit(definitions[0]!, value, undo);
    return undo;
  };
};

const compile = (schema: JsonSchema | boolean, options: CompileOptions): ValidateValue => {
  const plain = toPlainSchema(schema, options.documents);
  const judge = schemaEvaluator(evaluationContext(plain, options.formats ?? "annotate"));
  const holds = compilePlain(judge);
  const fill = fillDefaults(judge);

  const validate = (value: unknown): Validation => {
    startEvaluationBudget(schemaLimits.recursions);
    if (!holds(value)) return { ok: false, issues: explainMismatch(judge, value) };
    if (fill === undefined) return { ok: true, value };
    const filled = fill(value);
    // Defaults that would invalidate the given value are removed.
    if (filled.length > 0 && !holds(value)) for (const undo of filled.toReversed()) undo();
    return { ok: true, value };
  };

  return (value) => {
    try {
      return validate(value);
    } catch (error) {
      // A value that cannot be evaluated is invalid.
      const why = error instanceof Error ? error.message : String(error);
      return {
        ok: false,
        issues: [toIssue({ keyword: "schema", pointer: "", what: `cannot be checked: ${why}` })],
      };
    }
  };
};

const compileShared = (schema: JsonSchema | boolean, options: CompileOptions): ValidateValue => {
  const key = hashJson([schema, options.formats ?? "annotate", options.documents ?? null]);
  const validate = compiledSchemas.get(key) ?? compile(schema, options);
  compiledSchemas.delete(key);
  compiledSchemas.set(key, validate);
  if (compiledSchemas.size > maxCompiledSchemas) compiledSchemas.delete(compiledSchemas.keys().next().value!);
  return validate;
};

/**
 * Refuses what `inspectSchema` refuses. Without `$schema` the schema is draft 2020-12. The validator fills
 * defaults and never throws.
 */
export const compileSchema = (schema: JsonSchema | boolean, options: CompileOptions = {}): Validator => {
  inspectSchema(schema, options.documents);
  let validate: ValidateValue | undefined;
  const validator: ValidateValue = (value) => {
    validate ??= compileShared(schema, options);
    return validate(value);
  };
  return Object.assign(validator, { engine: schemaEngine });
};

/** For built-in schemas: without inspection and cache. */
export const compileOnFirstUse = (schema: JsonSchema): ValidateValue => {
  let validate: ValidateValue | undefined;
  return (value) => {
    validate ??= compile(schema, {});
    return validate(value);
  };
};
