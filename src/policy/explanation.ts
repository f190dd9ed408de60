import type { Decision } from "./decide-case.ts";
import type { PolicyRequest } from "./policy-request.ts";

/**
 * Without `input`, explains the best decision for any arguments; without `tally` and `repaired` too, the
 * visibility.
 */
export interface ExplainRequest extends Omit<PolicyRequest, "input" | "validated"> {
  readonly input?: unknown;
  /** Unless set: true. */
  readonly validated?: boolean;
}

export interface PolicyExplanation extends Decision {
  readonly tool: string;
  /** The caller, then its delegators. Empty without a principal or if the chain is invalid. */
  readonly links: readonly CallerExplanation[];
  readonly rules: readonly RuleExplanation[];
  readonly text: string;
}

export interface CallerExplanation extends Decision {
  readonly agent: string;
  readonly user: string | undefined;
  readonly tenant: string | undefined;
  /** Only one entry if the rights are invalid or a table does not contain the caller. */
  readonly rights: readonly RightExplanation[];
  /** Independent of their conditions. */
  readonly rules: readonly string[];
}

export interface RightExplanation {
  /** `"ada"`, `user "u1"`. */
  readonly who: string;
  /** Undefined if the right covers the tool. */
  readonly refusal: string | undefined;
}

export interface RuleExplanation {
  readonly id: string;
  readonly effect: Decision["effect"];
  /** It matches the caller or one of its delegators. */
  readonly concerns: boolean;
  readonly covers: boolean;
  /** Undefined if unknown. */
  readonly met: boolean | undefined;
  /** Fields whose conditions do not hold. */
  readonly unmet: readonly string[];
  readonly conditions: readonly ConditionExplanation[];
}

export interface ConditionExplanation {
  /** Such as `when`. */
  readonly field: string;
  /** Such as `input.amount ≥ 1000`. */
  readonly words: string;
  /** Undefined if unknown. */
  readonly met: boolean | undefined;
}
