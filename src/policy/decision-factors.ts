import type { AccessProfile } from "./access-profile.ts";
import type { CompiledRule } from "./compile-rule.ts";
import type { RuleConditions } from "./conditions.ts";
import { type Decision, type DecisionCase, decideCase } from "./decide-case.ts";

/** Properties of a call that can change its decision. */
export type DecisionFactor = "arguments" | "untrusted-content" | "repairs" | "spending";

const factorOfCondition: Readonly<Record<keyof RuleConditions, DecisionFactor>> = {
  when: "arguments",
  tainted: "untrusted-content",
  repaired: "repairs",
  spent: "spending",
  path: "arguments",
  from: "arguments",
};

const noFactors: readonly DecisionFactor[] = Object.freeze([]);

const factorCache = new WeakMap<DecisionCase, readonly DecisionFactor[]>();

/** Omits the check for repaired arguments, because it applies to every tool that writes. */
export const findDecisionFactors = ({ given, visible }: AccessProfile): readonly DecisionFactor[] => {
  if (visible.effect === "deny") return noFactors;
  const before = factorCache.get(given);
  if (before !== undefined) return before;
  const found = computeFactors(given);
  factorCache.set(given, found);
  return found;
};

/**
 * Rules of one effect are treated alike; each conditional rule is tried with the other groups met and unmet.
 */
const computeFactors = (given: DecisionCase): readonly DecisionFactor[] => {
  const open = given.rules.filter(({ conditions }) => conditions.length > 0);
  const found = new Set<DecisionFactor>();
  for (let classes = 0; classes < (open.length === 0 ? 1 : 16); classes += 1) {
    const isMet = (rule: CompiledRule): boolean =>
      rule.conditions.length === 0 || (classes & ruleClassOf(rule)) !== 0;
    const base = effectWithTaint(given, decideCase(given, isMet));
    if (base === "allow unless tainted") found.add("untrusted-content");
    for (const rule of open) {
      const changed = decideCase(given, (each) => isMet(each) !== (each === rule));
      if (effectWithTaint(given, changed) === base) continue;
      for (const { field } of rule.conditions) found.add(factorOfCondition[field]);
    }
  }
  return Object.freeze([...found]);
};

const ruleClassOf = ({ effect, waivesApproval }: CompiledRule): number =>
  effect === "deny" ? 1 : effect === "approve" ? 2 : waivesApproval ? 4 : 8;

const effectWithTaint = (
  { guardsSink, guardsAddresses, rules }: DecisionCase,
  { effect, ruleIds }: Decision,
): string => {
  if (effect !== "allow" || !(guardsSink || guardsAddresses)) return effect;
  const isWaived = rules.some(({ id, waivesApproval }) => waivesApproval && ruleIds.includes(id));
  return isWaived ? effect : "allow unless tainted";
};
