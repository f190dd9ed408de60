import type { Principal } from "../types/principal.ts";
import type { AccessProfile } from "./access-profile.ts";
import type { RuleConditions } from "./conditions.ts";
import { type Decision, type DecisionCase, decideCase, makeDecision, withTexts } from "./decide-case.ts";
import type { CompiledRule } from "./rule.ts";

const maxChainLength = 16;

/** The caller and its delegators, or why the chain is invalid. */
export const delegationChainOf = (principal: Principal): readonly Principal[] | string => {
  const chain: Principal[] = [];
  for (let link: Principal | undefined = principal; link !== undefined; link = link.within) {
    if (typeof link !== "object" || link === null) return "the principal's `within` is not a principal";
    if (chain.length === maxChainLength)
      return `the principal's chain of delegators is longer than ${maxChainLength - 1}, or has a cycle`;
    chain.push(link);
  }
  return chain;
};

const effectSeverity: Record<Decision["effect"], number> = { deny: 2, approve: 1, allow: 0 };

export const isStricter = (one: Decision, other: Decision): boolean =>
  effectSeverity[one.effect] > effectSeverity[other.effect];

export const strictestDecision = (decisions: readonly Decision[]): Decision => {
  let first: Decision | undefined;
  let isShared = false;
  for (const each of decisions) {
    const more = first === undefined ? 1 : effectSeverity[each.effect] - effectSeverity[first.effect];
    if (more > 0) first = each;
    if (more >= 0) isShared = more === 0 && (isShared || each !== first);
  }
  if (first === undefined) return makeDecision("deny", "no approver is configured");
  return isShared ? mergeDecisions(decisions.filter(({ effect }) => effect === first.effect)) : first;
};

const mergeDecisions = (deciding: readonly Decision[]): Decision => {
  const reasons = new Set(deciding.map(({ reason }) => reason));
  const ruleIds = new Set(deciding.flatMap((each) => each.ruleIds));
  return withTexts(makeDecision(deciding[0]!.effect, [...reasons].join("; "), [...ruleIds]), deciding);
};

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
