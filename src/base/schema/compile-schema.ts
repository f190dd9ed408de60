import type { JsonSchema } from "../../types/json.ts";
import type { Validation, Validator } from "../../types/validator.ts";
import { hashJson } from "../json/hash.ts";
import { compilePlain } from "./compiled/compile-plain.ts";
import { startEvaluationBudget } from "./evaluate/budget.ts";
import { evaluationContext } from "./evaluate/context.ts";
import { fillDefaults } from "./evaluate/fill-defaults.ts";
import { explainMismatch, schemaEvaluator } from "./evaluate/schema-evaluator.ts";
import { inspectSchema, type SchemaDocuments } from "./inspect-schema.ts";
import { toIssue } from "./issues.ts";
import { schemaLimits } from "./limits.ts";
import { toPlainSchema } from "./plain/to-plain-schema.ts";

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
