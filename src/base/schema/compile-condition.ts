import type { JsonSchema } from "../../types/json.ts";
import { hashJson } from "../json/canonical-json.ts";
import { compilePlain } from "./compiled/compile-plain.ts";
import { evaluationContext, startEvaluationBudget } from "./evaluate/context.ts";
import { schemaEvaluator } from "./evaluate/schema-evaluator.ts";
import { schemaLimits } from "./plain/plain-schema.ts";
import { toPlainSchema } from "./plain/to-plain-schema.ts";

/** Throws if the condition cannot be evaluated, which differs from false. */
export type Condition = (input: unknown) => boolean;

const maxCompiledConditions = 1_000;
const compiledConditions = new Map<string, Condition>();

/** A validator reports a value that it cannot evaluate as invalid, which would bypass a deny rule. */
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
