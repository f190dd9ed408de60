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
  /** Draft 2020-12 calls formats remarks; `assert` makes the known ones conditions. */
  readonly formats?: "annotate" | "assert";
  /** Schemas that `$ref` may point at by address. */
  readonly documents?: SchemaDocuments;
}

type ValidateValue = (value: unknown) => Validation;

/** For provenance: what judged, and which generation of it. */
export const schemaEngine = "haft schema 1";

const maxCompiledSchemas = 1_000;
const compiledSchemas = new Map<string, ValidateValue>();

const compile = (schema: JsonSchema | boolean, options: CompileOptions): ValidateValue => {
  const plain = toPlainSchema(schema, options.documents);
  const judge = schemaEvaluator(evaluationContext(plain, options.formats ?? "annotate"));
  const holds = compilePlain(judge);
  const fill = fillDefaults(judge);

  const judged = (value: unknown): Validation => {
    startEvaluationBudget(schemaLimits.recursions);
    if (!holds(value)) return { ok: false, issues: explainMismatch(judge, value) };
    if (fill === undefined) return { ok: true, value };
    const filled = fill(value);
    // The answer is about the value that came. Defaults that would break it stay out.
    if (filled.length > 0 && !holds(value)) for (const undo of filled.toReversed()) undo();
    return { ok: true, value };
  };

  return (value) => {
    try {
      return judged(value);
    } catch (error) {
      // The value is no JSON, too deep for the stack, or needs too much work: what cannot be judged does not pass.
      const why = error instanceof Error ? error.message : String(error);
      return {
        ok: false,
        issues: [toIssue({ keyword: "schema", pointer: "", what: `cannot be judged: ${why}` })],
      };
    }
  };
};

/** Equal schemas share one compilation, as long as it is among the last used. */
const compileShared = (schema: JsonSchema | boolean, options: CompileOptions): ValidateValue => {
  const key = hashJson([schema, options.formats ?? "annotate", options.documents ?? null]);
  const validate = compiledSchemas.get(key) ?? compile(schema, options);
  compiledSchemas.delete(key);
  compiledSchemas.set(key, validate);
  if (compiledSchemas.size > maxCompiledSchemas) compiledSchemas.delete(compiledSchemas.keys().next().value!);
  return validate;
};

/**
 * Refuses what `inspectSchema` refuses; compiles when it is first used. Without `$schema` a schema is read as
 * draft 2020-12. The validator fills defaults into a value that holds, and never throws.
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

/** For schemas of our own: nothing in them is to be refused or shared, and none is read before its first value comes. */
export const compileOnFirstUse = (schema: JsonSchema): ValidateValue => {
  let validate: ValidateValue | undefined;
  return (value) => {
    validate ??= compile(schema, {});
    return validate(value);
  };
};
