import type { JsonSchema } from "../../types/json.ts";
import { hashJson } from "../json/hash.ts";
import { compilePlain } from "./compiled/compile-plain.ts";
import { startEvaluationBudget } from "./evaluate/budget.ts";
import { evaluationContext } from "./evaluate/context.ts";
import { schemaEvaluator } from "./evaluate/schema-evaluator.ts";
import { schemaLimits } from "./limits.ts";
import { toPlainSchema } from "./plain/to-plain-schema.ts";

/** Whether arguments fit. Throws when that cannot be judged, which is not the same as no. */
export type Condition = (input: unknown) => boolean;

const maxCompiledConditions = 1_000;
const compiledConditions = new Map<string, Condition>();

/**
 * A validator answers "no" to what it cannot judge, and a deny rule that took this for its answer
 * could be walked past. A condition also wants neither reasons nor defaults, only yes or no.
 */
export const compileCondition = (when: JsonSchema): Condition => {
  const key = hashJson(when);
  const before = compiledConditions.get(key);
  if (before !== undefined) return before;
  const holds = compilePlain(schemaEvaluator(evaluationContext(toPlainSchema(when), "assert")));
  const condition: Condition = (input) => {
    startEvaluationBudget(schemaLimits.recursions);
    return holds(input);
  };
  if (compiledConditions.size >= maxCompiledConditions) compiledConditions.clear();
  compiledConditions.set(key, condition);
  return condition;
};
