import { isReadOnly, type ToolSpec } from "../types/spec.ts";
import type { CompiledRule } from "./compile-rule.ts";

/** What policy says. The reason is for operators: no model reads it. */
export interface Decision {
  readonly effect: "allow" | "deny" | "approve";
  /** The rules that decided; none when the principal's own right or the tool's nature did. */
  readonly ruleIds: readonly string[];
  readonly reason: string;
  /** What the model reads when the call is denied. Unless set: only that it is not allowed. */
  readonly tellModel?: string;
}

export interface DecisionCase {
  readonly spec: ToolSpec;
  /** Rules that concern the caller and cover the tool; whether their conditions are met is open. */
  readonly rules: readonly CompiledRule[];
  /** Whether somebody must have allowed the call by a rule. */
  readonly needsRule: boolean;
  readonly blockHighRisk: boolean;
  /** Whether words from outside in the conversation make it need a person. */
  readonly guardsSink: boolean;
  /** Whether it is one if its arguments name an address. */
  readonly guardsAddresses: boolean;
  /** What followed from the rules that were met, by their places as bits. */
  readonly concluded: Map<number, Decision>;
}

export type RuleFilter = (rule: CompiledRule) => boolean;

const noRuleIds: readonly string[] = Object.freeze([]);

export const makeDecision = (
  effect: Decision["effect"],
  reason: string,
  ruleIds: readonly string[] = noRuleIds,
): Decision => Object.freeze({ effect, ruleIds: Object.freeze(ruleIds), reason });

const allowedByRight = makeDecision("allow", "the principal holds the right to it");

// A number holds no more bits than that, and no more sets of rules than that are worth keeping.
const maxCached = { bits: 53, conclusions: 256 };

/** A condition that breaks denies. */
export const decideCase = (decisionCase: DecisionCase, isMet: RuleFilter): Decision => {
  const { rules, concluded } = decisionCase;
  const met: CompiledRule[] = [];
  let bits = 0;
  let bit = 0.5;
  for (const rule of rules) {
    bit *= 2;
    try {
      if (!isMet(rule)) continue;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      return makeDecision("deny", `the condition of ${rule.id} broke (${why})`, [rule.id]);
    }
    met.push(rule);
    bits += bit;
  }
  if (rules.length > maxCached.bits) return decisionFrom(decisionCase, met);
  const before = concluded.get(bits);
  if (before !== undefined) return before;
  if (concluded.size >= maxCached.conclusions) concluded.clear();
  const conclusion = decisionFrom(decisionCase, met);
  concluded.set(bits, conclusion);
  return conclusion;
};

/** Deny beats approve beats allow, and what nothing allows is denied. */
const decisionFrom = (given: DecisionCase, met: readonly CompiledRule[]): Decision => {
  const of = (effect: CompiledRule["effect"]) => met.filter((rule) => rule.effect === effect);
  const [deny, approve, allow] = [of("deny"), of("approve"), of("allow")];
  if (deny.length > 0)
    return withTexts(makeDecision("deny", `denied by ${describeRules(deny)}`, ruleIdsOf(deny)), deny);
  if (approve.length > 0)
    return makeDecision("approve", `approval asked for by ${describeRules(approve)}`, ruleIdsOf(approve));
  if (given.needsRule && allow.length === 0) return makeDecision("deny", "no rule allows it");
  const duty = findApprovalDuty(
    given,
    allow.some((rule) => rule.waivesApproval),
  );
  if (duty !== undefined) return makeDecision("approve", duty, ruleIdsOf(allow));
  return allow.length === 0
    ? allowedByRight
    : makeDecision("allow", `allowed by ${describeRules(allow)}`, ruleIdsOf(allow));
};

/** What rules or decisions that deny a call let its model read. */
export const withTexts = (
  denied: Decision,
  by: readonly Pick<CompiledRule | Decision, "tellModel">[],
): Decision => {
  const texts = new Set(by.flatMap(({ tellModel }) => tellModel ?? []));
  return texts.size === 0 ? denied : Object.freeze({ ...denied, tellModel: [...texts].join(" ") });
};

/** Why a person must be asked although no rule wants it. */
const findApprovalDuty = ({ spec, blockHighRisk }: DecisionCase, waived: boolean): string | undefined => {
  const mode = spec.noSchemaMode;
  if (mode !== undefined) {
    const excused = mode === "full" ? waived : mode === "read-only" && isReadOnly(spec);
    if (!excused) return `the tool has no schema, so nothing can be validated (mode ${mode})`;
  }
  if (waived) return undefined;
  if (spec.requiresApproval) return "the tool requires approval";
  const risky = spec.risk === "high" || spec.risk === "critical";
  return risky && blockHighRisk ? `its risk is ${spec.risk} and no rule waives approval` : undefined;
};

const ruleIdsOf = (rules: readonly CompiledRule[]): readonly string[] => rules.map(({ id }) => id);

const describeRules = (rules: readonly CompiledRule[]): string =>
  rules.map((rule) => (rule.reason === undefined ? rule.id : `${rule.id} (${rule.reason})`)).join(", ");
