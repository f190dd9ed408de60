import type { Caller, Finding } from "./shared.ts";

/** A known principal. */
export interface NamedPrincipal {
  /** Value for `as`. */
  readonly id: string;
  readonly caller: Caller;
  /** Where it was found. Current rights of principals from the `ledger` are unknown. */
  readonly from: "signed-in" | "runtime" | "configuration" | "ledger";
  readonly lastSeenAt?: number;
}

/** `approve`: requires approval. `unknown`: the policy engine does not say. */
export type RightEffect = "allow" | "approve" | "deny" | "unknown";

/** What can change a decision: arguments, untrusted content in the run, repairs, or the run's spending. */
export type RightCircumstance = "arguments" | "untrusted-words" | "repairs" | "spending" | "unknown";

/** Matrix of principals and tools. */
export interface Rights {
  readonly principals: readonly NamedPrincipal[];
  readonly tools: readonly string[];
  /** There are more tools or principals. */
  readonly isCut: boolean;
  /** One row per principal, one cell per tool. */
  readonly cells: readonly (readonly Right[])[];
}

/** What a principal may do with a tool, and why. */
export interface Right {
  readonly effect: RightEffect;
  readonly reason: string;
  readonly ruleIds: readonly string[];
  /** What else can change the decision. Empty if it holds for every call. */
  readonly depends: readonly RightCircumstance[];
}

/**
 * `would-decide`: its conditions are open. `agrees`: has the same effect as the decision. `overruled`: by
 * `overruledBy` or by the caller's lists. `not-enough`: allows the call, but something else requires
 * approval. `unmet`: a condition does not hold. The others do not apply.
 */
export type RuleState =
  | "decides"
  | "would-decide"
  | "agrees"
  | "overruled"
  | "not-enough"
  | "unmet"
  | "other-tools"
  | "other-callers";

/** A policy rule and its part in a decision. */
export interface ExplainedRule {
  readonly id: string;
  readonly effect: RightEffect;
  readonly state: RuleState;
  readonly concerns: boolean;
  readonly covers: boolean;
  readonly met?: boolean;
  readonly unmet: readonly string[];
  /** Conditions in words, such as `input.amount ≥ 1000`. */
  readonly conditions: readonly { readonly field: string; readonly words: string; readonly met?: boolean }[];
  readonly overruledBy: readonly string[];
  /** What decided instead. */
  readonly why?: string;
}

/** Why a principal may or may not call a tool. */
export interface RightExplained extends Right {
  readonly tool: string;
  readonly caller: Caller;
  /** The explanation in sentences. */
  readonly text: string;
  /** Schema violations of the arguments. Such a call fails before the policy is checked. */
  readonly findings: readonly Finding[];
  readonly rules: readonly ExplainedRule[];
  readonly links: readonly {
    readonly agent: string;
    readonly user?: string;
    readonly tenant?: string;
    readonly effect: RightEffect;
    readonly reason: string;
    readonly rights: readonly { readonly who: string; readonly refusal?: string }[];
  }[];
}

/** The body of `POST /rights/explain`. */
export interface ExplainBody {
  /** ID or agent of a principal. Default: the signed-in person. */
  readonly as?: string;
  readonly tool: string;
  /** Default: any arguments. */
  readonly input?: unknown;
  /** Assumes that the run has read untrusted content. */
  readonly tainted?: boolean;
}
