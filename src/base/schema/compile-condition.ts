import { hashJson } from "../json/hash.ts";
import type { JsonSchema } from "../words/json.ts";
import { compilePlain } from "./compiled/compile-plain.ts";
import { startBudget } from "./judge/budget.ts";
import { judgeContext } from "./judge/context.ts";
import { judgeOf } from "./judge/judge.ts";
import { limits } from "./limits.ts";
import { toPlainSchema } from "./plain/to-plain-schema.ts";

/** Whether arguments fit. Throws when that cannot be judged, which is not the same as no. */
export type Condition = (input: unknown) => boolean;

const most = 1_000;
const compiled = new Map<string, Condition>();

/**
 * A validator answers "no" to what it cannot judge, and a deny rule that took this for its answer
 * could be walked past. A condition also wants neither reasons nor defaults, only yes or no.
 */
export const compileCondition = (when: JsonSchema): Condition => {
  const key = hashJson(when);
  const before = compiled.get(key);
  if (before !== undefined) return before;
  const holds = compilePlain(judgeOf(judgeContext(toPlainSchema(when), "assert")));
  const condition: Condition = (input) => {
    startBudget(limits.recursions);
    return holds(input);
  };
  if (compiled.size >= most) compiled.clear();
  compiled.set(key, condition);
  return condition;
};
