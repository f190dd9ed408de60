import { ToolError } from "../../types/errors.ts";
import type { JsonSchema } from "../../types/json.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { type ComparedSchema, toClaim } from "./compatible/claim.ts";
import { certainlyDefaultedMembers, noDefaultedMembers } from "./compatible/defaulted-members.ts";
import { ProofLimitError } from "./compatible/prover.ts";
import { type IncompatibilityReason, rootPosition } from "./compatible/reason.ts";
import { startProver } from "./compatible/start-prover.ts";
import { EvaluationLimitError } from "./evaluate/budget.ts";
import { evaluationContext } from "./evaluate/context.ts";
import { schemaEvaluator } from "./evaluate/schema-evaluator.ts";
import type { PlainSchema } from "./plain/plain-schema.ts";
import { toPlainSchema } from "./plain/to-plain-schema.ts";

export type { IncompatibilityReason } from "./compatible/reason.ts";

/** Result of `isCompatible`. */
export type Compatibility =
  | { readonly ok: true }
  | { readonly ok: false; readonly reasons: readonly IncompatibilityReason[] };

/** Options of `isCompatible`. */
export interface CompatibleOptions {
  /**
   * How defaults of the narrow schema count. `filled` compares its values after validation, with defaults
   * filled. `ignored` compares them before. Unless set: `ignored`.
   */
  readonly defaults?: "filled" | "ignored";
}

/**
 * Whether every value that fits `narrow` fits `wide`. A positive result is proven. A negative result may also
 * mean that no proof was found within the step limit; the reasons say so. Formats are ignored. Never throws.
 */
export const isCompatible = (
  narrow: JsonSchema | boolean,
  wide: JsonSchema | boolean,
  options: CompatibleOptions = {},
): Compatibility => {
  const one = readCached(narrow);
  const other = readCached(wide);
  if (typeof one === "string") return undecided(`the narrow schema cannot be checked: ${one}`);
  if (typeof other === "string") return undecided(`the wide schema cannot be checked: ${other}`);
  if (canonicalJson(one.definitions) === canonicalJson(other.definitions)) return { ok: true };
  try {
    const from = toComparedSchema(one, options.defaults === "filled");
    const to = toComparedSchema(other, false);
    const given = toClaim(from, one.definitions[0]!, from.fills.size > 0);
    const reasons = startProver().prove([given], toClaim(to, other.definitions[0]!), rootPosition);
    return reasons.length === 0 ? { ok: true } : { ok: false, reasons };
  } catch (problem) {
    if (!(problem instanceof ProofLimitError || problem instanceof EvaluationLimitError)) throw problem;
    return undecided(problem.message, "budget");
  }
};

/** Whether no value fits both schemas. False may also mean that no proof was found. */
export const areDisjoint = (
  given: JsonSchema | boolean,
  other: JsonSchema | boolean,
  options: CompatibleOptions = {},
): boolean => {
  const one = readCached(given);
  const two = readCached(other);
  if (typeof one === "string" || typeof two === "string") return false;
  try {
    const from = toComparedSchema(one, options.defaults === "filled");
    const to = toComparedSchema(two, false);
    const claims = [
      toClaim(from, one.definitions[0]!, from.fills.size > 0),
      toClaim(to, two.definitions[0]!),
    ];
    return startProver().isEmpty(claims, rootPosition);
  } catch (problem) {
    if (!(problem instanceof ProofLimitError || problem instanceof EvaluationLimitError)) throw problem;
    return false;
  }
};

const plainSchemaCache = new WeakMap<object, PlainSchema | string>();

const readCached = (schema: JsonSchema | boolean): PlainSchema | string => {
  if (typeof schema !== "object" || !Object.isFrozen(schema)) return readPlainSchema(schema);
  const plain = plainSchemaCache.get(schema) ?? readPlainSchema(schema);
  plainSchemaCache.set(schema, plain);
  return plain;
};

const readPlainSchema = (schema: JsonSchema | boolean): PlainSchema | string => {
  try {
    return toPlainSchema(schema);
  } catch (problem) {
    if (!ToolError.is(problem)) throw problem;
    return problem.message;
  }
};

const toComparedSchema = (schema: PlainSchema, fill: boolean): ComparedSchema => {
  const judge = schemaEvaluator(evaluationContext(schema, "annotate"));
  return { schema, judge, fills: fill ? certainlyDefaultedMembers(judge) : noDefaultedMembers };
};

const undecided = (message: string, keyword = "schema"): Compatibility => ({
  ok: false,
  reasons: [{ pointer: "", keyword, message, may: "is not compared", must: "is not compared" }],
});
