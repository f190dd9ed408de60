import { isReadOnly, type ToolSpec } from "../words/spec.ts";
import type { CompiledRule } from "./compile-rule.ts";

/** What policy says. The reason is for operators: no model reads it. */
export interface Decision {
  readonly effect: "allow" | "deny" | "approve";
  /** The rules that decided; none when the principal's own right or the tool's nature did. */
  readonly ruleIds: readonly string[];
  readonly reason: string;
}

export interface Case {
  readonly spec: ToolSpec;
  /** Rules that concern the caller and cover the tool; whether their conditions are met is open. */
  readonly rules: readonly CompiledRule[];
  /** Whether somebody must have allowed the call by a rule. */
  readonly needsRule: boolean;
  readonly blockHighRisk: boolean;
  /** Whether words from outside in the conversation make it need a person. */
  readonly guardsSink: boolean;
  /** What followed from the rules that were met, by their places as bits. */
  readonly concluded: Map<number, Decision>;
}

export type Meets = (rule: CompiledRule) => boolean;

const noRules: readonly string[] = Object.freeze([]);

export const decision = (
  effect: Decision["effect"],
  reason: string,
  ruleIds: readonly string[] = noRules,
): Decision => Object.freeze({ effect, ruleIds: Object.freeze(ruleIds), reason });

const held = decision("allow", "the principal holds the right to it");

// A number holds no more bits than that, and no more sets of rules than that are worth keeping.
const most = { bits: 53, conclusions: 256 };

/** A condition that breaks denies. */
export const judge = (given: Case, meets: Meets): Decision => {
  const { rules, concluded } = given;
  const met: CompiledRule[] = [];
  let bits = 0;
  let bit = 0.5;
  for (const rule of rules) {
    bit *= 2;
    try {
      if (!meets(rule)) continue;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      return decision("deny", `the condition of ${rule.id} broke (${why})`, [rule.id]);
    }
    met.push(rule);
    bits += bit;
  }
  if (rules.length > most.bits) return decisionFrom(given, met);
  const before = concluded.get(bits);
  if (before !== undefined) return before;
  if (concluded.size >= most.conclusions) concluded.clear();
  const conclusion = decisionFrom(given, met);
  concluded.set(bits, conclusion);
  return conclusion;
};

/** Deny beats approve beats allow, and what nothing allows is denied. */
const decisionFrom = (given: Case, met: readonly CompiledRule[]): Decision => {
  const of = (effect: CompiledRule["effect"]) => met.filter((rule) => rule.effect === effect);
  const [deny, approve, allow] = [of("deny"), of("approve"), of("allow")];
  if (deny.length > 0) return decision("deny", `denied by ${name(deny)}`, ids(deny));
  if (approve.length > 0) return decision("approve", `approval asked for by ${name(approve)}`, ids(approve));
  if (given.needsRule && allow.length === 0) return decision("deny", "no rule allows it");
  const duty = approvalDuty(
    given,
    allow.some((rule) => rule.waivesApproval),
  );
  if (duty !== undefined) return decision("approve", duty, ids(allow));
  return allow.length === 0 ? held : decision("allow", `allowed by ${name(allow)}`, ids(allow));
};

/** Why a person must be asked although no rule wants it. */
const approvalDuty = ({ spec, blockHighRisk }: Case, waived: boolean): string | undefined => {
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

const ids = (rules: readonly CompiledRule[]): readonly string[] => rules.map(({ id }) => id);

const name = (rules: readonly CompiledRule[]): string =>
  rules.map((rule) => (rule.reason === undefined ? rule.id : `${rule.id} (${rule.reason})`)).join(", ");
