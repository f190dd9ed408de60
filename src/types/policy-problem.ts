/**
 * What is wrong with a policy. `unknown_*` names something that does not exist, `no_matching_tool` combines fields that
 * no tool has together, `never_holds` and `always_holds` are about conditions, and `covered_rule` never decides.
 */
export type PolicyProblemCode =
  | "invalid_policy"
  | "unknown_keyword"
  | "unknown_tool"
  | "unknown_toolkit"
  | "unknown_caller"
  | "unknown_property"
  | "unknown_format"
  | "no_matching_tool"
  | "never_holds"
  | "always_holds"
  | "covered_rule"
  | "nothing_allowed";

/** A mistake in a policy or in the rights of a principal, for operators. */
export interface PolicyProblem {
  readonly code: PolicyProblemCode;
  /** An error refuses the policy. A warning does so only under `policy.strict`. */
  readonly severity: "error" | "warning";
  /** The rule that has it; missing for toolkits, tables of rights and principals. */
  readonly ruleId?: string;
  /** A JSON pointer into the options of the runtime, such as `/policy/rules/0/tools/1`. */
  readonly place: string;
  readonly message: string;
  /** How to fix it, as a sentence. */
  readonly suggestion?: string;
}
