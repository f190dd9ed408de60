import { isReadOnly, type ToolSpec } from "../words/spec.ts";
import type { CompiledRule } from "./rule.ts";

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
}

export type Meets = (rule: CompiledRule) => boolean;

const noRules: readonly string[] = Object.freeze([]);

export const decision = (
  effect: Decision["effect"],
  reason: string,
  ruleIds: readonly string[] = noRules,
): Decision => Object.freeze({ effect, ruleIds: Object.freeze(ruleIds), reason });

const held = decision("allow", "the principal holds the right to it");

/** Deny beats approve beats allow, and what nothing allows is denied. A condition that breaks denies. */
export const judge = (given: Case, meets: Meets): Decision => {
  const met: Record<CompiledRule["effect"], CompiledRule[]> = { allow: [], deny: [], approve: [] };
  for (const rule of given.rules) {
    try {
      if (meets(rule)) met[rule.effect].push(rule);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      return decision("deny", `the condition of ${rule.id} broke (${why})`, [rule.id]);
    }
  }
  if (met.deny.length > 0) return decision("deny", `denied by ${name(met.deny)}`, ids(met.deny));
  if (met.approve.length > 0) {
    return decision("approve", `approval asked for by ${name(met.approve)}`, ids(met.approve));
  }
  if (given.needsRule && met.allow.length === 0) return decision("deny", "no rule allows it");
  const duty = approvalDuty(
    given,
    met.allow.some((rule) => rule.waivesApproval),
  );
  if (duty !== undefined) return decision("approve", duty, ids(met.allow));
  return met.allow.length === 0 ? held : decision("allow", `allowed by ${name(met.allow)}`, ids(met.allow));
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
