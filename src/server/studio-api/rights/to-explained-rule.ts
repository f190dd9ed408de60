import type { PolicyExplanation, RuleExplanation } from "../../../policy/explanation.ts";
import { definedFields } from "../calls/to-call-line.ts";
import type { ExplainedRule } from "../types/rights.ts";

type ExplainedDecision = Pick<PolicyExplanation, "effect" | "reason" | "ruleIds" | "links">;

const severity = { allow: 0, approve: 1, deny: 2 } as const;

export const toExplainedRule = (rule: RuleExplanation, explained: ExplainedDecision): ExplainedRule => {
  const { id, effect, concerns, covers, met, unmet, conditions = [] } = rule;
  const state = ruleStateOf(rule, explained);
  const isOutranked = state === "overruled" || state === "not-enough";
  return {
    ...{ id, effect, concerns, covers, unmet, state },
    ...definedFields({ met }),
    conditions: conditions.map(({ field, words, met: is }) => ({
      field,
      words,
      ...definedFields({ met: is }),
    })),
    overruledBy: state === "overruled" ? explained.ruleIds.filter((each) => each !== id) : [],
    ...(isOutranked ? { why: explained.reason } : {}),
  };
};

/** Lists take precedence over rules. */
const ruleStateOf = (
  rule: RuleExplanation,
  { effect, ruleIds, links }: ExplainedDecision,
): ExplainedRule["state"] => {
  const { id, effect: says, concerns, covers, met } = rule;
  if (!concerns) return "other-callers";
  if (!covers) return "other-tools";
  if (met === false) return "unmet";
  if (links.some(({ rights }) => rights.some(({ refusal }) => refusal !== undefined))) return "overruled";
  const isNamed = ruleIds.includes(id);
  // Something other than a rule requires approval.
  if (isNamed && severity[says] < severity[effect]) return "not-enough";
  if (met === undefined) return isNamed || severity[says] > severity[effect] ? "would-decide" : "overruled";
  return isNamed ? "decides" : severity[says] < severity[effect] ? "overruled" : "agrees";
};
