import type { Principal } from "../types/principal.ts";
import { type Decision, makeDecision, withTexts } from "./decide-case.ts";

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
