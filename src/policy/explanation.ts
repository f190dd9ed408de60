import type { Decision } from "./decide-case.ts";
import type { PolicyRequest } from "./policy-request.ts";

/**
 * A call. Without `input` the best is told that any arguments could get, at the moment that `tally` and `repaired` say;
 * without those too, whether the tool is shown.
 */
export interface ExplainRequest extends Omit<PolicyRequest, "input" | "validated"> {
  readonly input?: unknown;
  /** Whether the input passed the tool's schema; taken for granted unless told. */
  readonly validated?: boolean;
}

export interface PolicyExplanation extends Decision {
  /** Full name of the tool. */
  readonly tool: string;
  /** The caller first, then whoever lent it its right, in turn. None when nobody is calling or the chain is refused. */
  readonly links: readonly CallerExplanation[];
  /** Every rule of the policy, in its order. */
  readonly rules: readonly RuleExplanation[];
  /** All of it in sentences. */
  readonly text: string;
}

export interface CallerExplanation extends Decision {
  readonly agent: string;
  readonly user: string | undefined;
  readonly tenant: string | undefined;
  /** What its own lists and each table of rights say; one entry alone where it cannot be read or a table does not know it. */
  readonly rights: readonly RightExplanation[];
  /** Ids of the rules that concern it and cover the tool, whether or not their conditions are met. */
  readonly rules: readonly string[];
}

export interface RightExplanation {
  /** Whose right it is: `"ada"`, `user "u1"`. */
  readonly who: string;
  /** Why it refuses, if it does. */
  readonly refusal: string | undefined;
}

export interface RuleExplanation {
  readonly id: string;
  readonly effect: Decision["effect"];
  /** Whether it is about the caller, or about one it acts for. */
  readonly concerns: boolean;
  readonly covers: boolean;
  /** Whether all its conditions are; missing while that cannot be known. */
  readonly met: boolean | undefined;
  /** The fields of the conditions that are not. */
  readonly unmet: readonly string[];
  /** Each of its conditions, in a few words. */
  readonly conditions: readonly ConditionExplanation[];
}

export interface ConditionExplanation {
  /** The field of the rule: `when`, `tainted`, `repaired` or `spent`. */
  readonly field: string;
  /** Such as `input.amount ≥ 1000`. */
  readonly words: string;
  /** Missing while it cannot be known. */
  readonly met: boolean | undefined;
}
