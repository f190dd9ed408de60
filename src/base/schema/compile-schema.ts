import { hashJson } from "../json/hash.ts";
import type { JsonSchema } from "../words/json.ts";
import type { Validation, Validator } from "../words/validator.ts";
import { compilePlain } from "./compiled/compile-plain.ts";
import { type Documents, inspectSchema } from "./inspect-schema.ts";
import { toIssue } from "./issues.ts";
import { startBudget } from "./judge/budget.ts";
import { judgeContext } from "./judge/context.ts";
import { fillDefaults } from "./judge/fill-defaults.ts";
import { explain, judgeOf } from "./judge/judge.ts";
import { limits } from "./limits.ts";
import { toPlainSchema } from "./plain/to-plain-schema.ts";

export interface CompileOptions {
  /** Draft 2020-12 calls formats remarks; `assert` makes the known ones conditions. */
  readonly formats?: "annotate" | "assert";
  /** Schemas that `$ref` may point at by address. */
  readonly documents?: Documents;
}

type Validate = (value: unknown) => Validation;

/** For provenance: what judged, and which generation of it. */
export const engine = "haft schema 1";

const most = 1_000;
const compiled = new Map<string, Validate>();

const compile = (schema: JsonSchema | boolean, options: CompileOptions): Validate => {
  const plain = toPlainSchema(schema, options.documents);
  const judge = judgeOf(judgeContext(plain, options.formats ?? "annotate"));
  const holds = compilePlain(judge);
  const fill = fillDefaults(judge);

  const judged = (value: unknown): Validation => {
    startBudget(limits.recursions);
    if (!holds(value)) return { ok: false, issues: explain(judge, value) };
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
const shared = (schema: JsonSchema | boolean, options: CompileOptions): Validate => {
  const key = hashJson([schema, options.formats ?? "annotate", options.documents ?? null]);
  const validate = compiled.get(key) ?? compile(schema, options);
  compiled.delete(key);
  compiled.set(key, validate);
  if (compiled.size > most) compiled.delete(compiled.keys().next().value!);
  return validate;
};

/**
 * Refuses what `inspectSchema` refuses; compiles when it is first used. Without `$schema` a schema is read as
 * draft 2020-12. The validator fills defaults into a value that holds, and never throws.
 */
export const compileSchema = (schema: JsonSchema | boolean, options: CompileOptions = {}): Validator => {
  inspectSchema(schema, options.documents);
  let validate: Validate | undefined;
  const validator: Validate = (value) => {
    validate ??= shared(schema, options);
    return validate(value);
  };
  return Object.assign(validator, { engine });
};

/** For schemas of our own: nothing in them is to be refused or shared, and none is read before its first value comes. */
export const compileOnFirstUse = (schema: JsonSchema): Validate => {
  let validate: Validate | undefined;
  return (value) => {
    validate ??= compile(schema, {});
    return validate(value);
  };
};
