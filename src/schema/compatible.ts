import { canonicalJson } from "../json/canonical-json.ts";
import { ToolError } from "../words/errors.ts";
import type { JsonSchema } from "../words/json.ts";
import { type ComparedSchema, claim } from "./compatible/claim.ts";
import { certainFills, noFills } from "./compatible/fills.ts";
import { TooFar } from "./compatible/prover.ts";
import { type Reason, root } from "./compatible/reason.ts";
import { startProver } from "./compatible/start-prover.ts";
import { TooMuchWork } from "./judge/budget.ts";
import { judgeContext } from "./judge/context.ts";
import { judgeOf } from "./judge/judge.ts";
import type { PlainSchema } from "./plain/plain-schema.ts";
import { toPlainSchema } from "./plain/to-plain-schema.ts";

export type { Reason } from "./compatible/reason.ts";

/** What `isCompatible` found: that one schema fits into another, or why not. */
export type Compatibility =
  | { readonly ok: true }
  | { readonly ok: false; readonly reasons: readonly Reason[] };

/** What `isCompatible` compares where a schema has defaults. */
export interface CompatibleOptions {
  /**
   * `filled` compares what the narrow schema's validator hands on, its defaults in place; `ignored`, unless given,
   * what it is given.
   */
  readonly defaults?: "filled" | "ignored";
}

/**
 * Whether every value that fits `narrow` fits `wide`. A yes is proven; a no may also mean that the proof was not
 * found within a counted number of steps, and then says so. Formats are remarks. Never throws.
 */
export const isCompatible = (
  narrow: JsonSchema | boolean,
  wide: JsonSchema | boolean,
  options: CompatibleOptions = {},
): Compatibility => {
  const one = read(narrow);
  const other = read(wide);
  if (typeof one === "string") return unjudged(`the narrow schema cannot be judged: ${one}`);
  if (typeof other === "string") return unjudged(`the wide schema cannot be judged: ${other}`);
  if (canonicalJson(one.definitions) === canonicalJson(other.definitions)) return { ok: true };
  try {
    const from = toSide(one, options.defaults === "filled");
    const to = toSide(other, false);
    const given = claim(from, one.definitions[0]!, from.fills.size > 0);
    const reasons = startProver().prove([given], claim(to, other.definitions[0]!), root);
    return reasons.length === 0 ? { ok: true } : { ok: false, reasons };
  } catch (problem) {
    if (!(problem instanceof TooFar || problem instanceof TooMuchWork)) throw problem;
    return unjudged(problem.message, "budget");
  }
};

const read = (schema: JsonSchema | boolean): PlainSchema | string => {
  try {
    return toPlainSchema(schema);
  } catch (problem) {
    if (!ToolError.is(problem)) throw problem;
    return problem.message;
  }
};

const toSide = (schema: PlainSchema, fill: boolean): ComparedSchema => {
  const judge = judgeOf(judgeContext(schema, "annotate"));
  return { schema, judge, fills: fill ? certainFills(judge) : noFills };
};

const unjudged = (message: string, keyword = "schema"): Compatibility => ({
  ok: false,
  reasons: [{ pointer: "", keyword, message, may: "is not compared", must: "is not compared" }],
});
