/** Kind of a policy problem. */
export type PolicyProblemCode =
  | "invalid_policy"
  | "unknown_keyword"
  | "unknown_tool"
  | "overridden_tool"
  | "unknown_toolkit"
  | "unknown_caller"
  | "unknown_property"
  | "unknown_format"
  | "no_matching_tool"
  | "never_holds"
  | "always_holds"
  | "covered_rule"
  | "nothing_allowed";

/** A mistake in a policy or in a principal's permissions, for operators. */
export interface PolicyProblem {
  readonly code: PolicyProblemCode;
  /** An error rejects the policy; a warning does so only under `policy.strict`. */
  readonly severity: "error" | "warning";
  /** Missing for toolkits, permission tables and principals. */
  readonly ruleId?: string;
  /** JSON pointer into the runtime's options, such as `/policy/rules/0/tools/1`. */
  readonly place: string;
  readonly message: string;
  /** The remedy, as a sentence. */
  readonly suggestion?: string;
}
