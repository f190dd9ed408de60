import { isReadOnly, type ToolSpec } from "../types/tool.ts";
import type { InjectionGuard } from "./lineage/injection-guard.ts";
import type { CompiledRule } from "./rule.ts";

/** A policy decision. The reason is for operators and never shown to a model. */
export interface Decision {
  readonly effect: "allow" | "deny" | "approve";
  /** The rules that decided. Empty if the principal's own right or a property of the tool decided. */
  readonly ruleIds: readonly string[];
  readonly reason: string;
  /** Text for the model when the call is denied. Unless set: a general refusal. */
  readonly tellModel?: string;
  /** Approval is required because the call is not in the run's plan. */
  readonly leavesPlan?: true;
}

export interface DecisionCase {
  readonly spec: ToolSpec;
  /** Rules that match caller and tool; their conditions are not evaluated yet. */
  readonly rules: readonly CompiledRule[];
  /** An allow rule is required. */
  readonly needsRule: boolean;
  readonly blockHighRisk: boolean;
  /** Untrusted content requires approval. */
  readonly guardsSink: boolean;
  /** Untrusted content requires approval if the arguments contain an address. */
  readonly guardsAddresses: boolean;
  /** Untrusted content requires approval unless the run planned the call. */
  readonly guardsPrivateRead: boolean;
  readonly injectionGuard: InjectionGuard;
  /** Cache by a bit set of the rules whose conditions hold. */
  readonly concluded: Map<number, Decision>;
}

export type RuleFilter = (rule: CompiledRule) => boolean;

const noRuleIds: readonly string[] = Object.freeze([]);

export const makeDecision = (
  effect: Decision["effect"],
  reason: string,
  ruleIds: readonly string[] = noRuleIds,
): Decision => Object.freeze({ effect, ruleIds: Object.freeze(ruleIds), reason });

const allowedByRight = makeDecision("allow", "the principal's rights allow it");

// A number holds 53 bits.
const maxCached = { bits: 53, conclusions: 256 };

/** A condition that throws denies the call. */
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
      return makeDecision("deny", `the condition of ${rule.id} failed (${why})`, [rule.id]);
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

/** Deny overrides approve, approve overrides allow, and the default is deny. */
const decisionFrom = (given: DecisionCase, met: readonly CompiledRule[]): Decision => {
  const of = (effect: CompiledRule["effect"]) => met.filter((rule) => rule.effect === effect);
  const [deny, approve, allow] = [of("deny"), of("approve"), of("allow")];
  if (deny.length > 0)
    return withTexts(makeDecision("deny", `denied by ${describeRules(deny)}`, ruleIdsOf(deny)), deny);
  if (approve.length > 0)
    return makeDecision("approve", `approval required by ${describeRules(approve)}`, ruleIdsOf(approve));
  if (given.needsRule && allow.length === 0) return makeDecision("deny", "no rule allows it");
  const duty = approvalReason(
    given,
    allow.some((rule) => rule.waivesApproval),
  );
  if (duty !== undefined) return makeDecision("approve", duty, ruleIdsOf(allow));
  return allow.length === 0
    ? allowedByRight
    : makeDecision("allow", `allowed by ${describeRules(allow)}`, ruleIdsOf(allow));
};

export const withTexts = (
  denied: Decision,
  by: readonly Pick<CompiledRule | Decision, "tellModel">[],
): Decision => {
  const texts = new Set(by.flatMap(({ tellModel }) => tellModel ?? []));
  return texts.size === 0 ? denied : Object.freeze({ ...denied, tellModel: [...texts].join(" ") });
};

const approvalReason = ({ spec, blockHighRisk }: DecisionCase, waived: boolean): string | undefined => {
  const mode = spec.noSchemaMode;
  if (mode !== undefined) {
    const excused = mode === "full" ? waived : mode === "read-only" && isReadOnly(spec);
    if (!excused) return `the tool has no schema, so its arguments cannot be validated (mode ${mode})`;
  }
  if (waived) return undefined;
  if (spec.requiresApproval) return "the tool requires approval";
  const risky = spec.risk === "high" || spec.risk === "critical";
  return risky && blockHighRisk ? `${spec.risk}-risk tool; no rule skips approval` : undefined;
};

const ruleIdsOf = (rules: readonly CompiledRule[]): readonly string[] => rules.map(({ id }) => id);

const describeRules = (rules: readonly CompiledRule[]): string =>
  rules.map((rule) => (rule.reason === undefined ? rule.id : `${rule.id} (${rule.reason})`)).join(", ");
