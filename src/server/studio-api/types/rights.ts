import type { Caller, Finding } from "./shared.ts";

/** Who may be asked about. */
export interface NamedPrincipal {
  /** What `as` takes. */
  readonly id: string;
  readonly caller: Caller;
  /** One of the ledger has no rights of its own here: what it may is not known. */
  readonly from: "signed-in" | "runtime" | "configuration" | "ledger";
  readonly lastSeenAt?: number;
}

/** `approve` needs a person; `unknown` is what an engine did not say. */
export type RightEffect = "allow" | "approve" | "deny" | "unknown";

/** What of a call can change a right: its arguments, words from outside in its run, repairs, what the run has spent. */
export type RightCircumstance = "arguments" | "untrusted-words" | "repairs" | "spending" | "unknown";

/** Principals × tools. */
export interface Rights {
  readonly principals: readonly NamedPrincipal[];
  readonly tools: readonly string[];
  /** There are more tools or principals. */
  readonly isCut: boolean;
  /** In the order of `principals`, each in the order of `tools`. */
  readonly cells: readonly (readonly Right[])[];
}

/** What one principal may with one tool, and what decided it. */
export interface Right {
  readonly effect: RightEffect;
  readonly reason: string;
  readonly ruleIds: readonly string[];
  /** What else can change it; none where it holds for every call, and `unknown` where an engine cannot tell. */
  readonly depends: readonly RightCircumstance[];
}

/**
 * `decides`; `would-decide` if its conditions are met, which is open; `agrees` with what decided; `overruled` by
 * `overruledBy`, or by the caller's own lists where that is empty; `not-enough` lets the call through, but a person is
 * needed for another reason; `unmet` is a condition that does not hold; the rest is about others.
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

/** A rule of the policy, and what it does to a decision. */
export interface ExplainedRule {
  readonly id: string;
  readonly effect: RightEffect;
  readonly state: RuleState;
  readonly concerns: boolean;
  readonly covers: boolean;
  readonly met?: boolean;
  readonly unmet: readonly string[];
  /** As the policy has them, in words such as `input.amount ≥ 1000`. */
  readonly conditions: readonly { readonly field: string; readonly words: string; readonly met?: boolean }[];
  readonly overruledBy: readonly string[];
  /** What decided instead of it. */
  readonly why?: string;
}

/** Why somebody may or may not call a tool. */
export interface RightExplained extends Right {
  readonly tool: string;
  readonly caller: Caller;
  /** All of it in sentences. */
  readonly text: string;
  /** Why arguments that were given do not fit the schema of the tool: such a call is refused before policy is asked. */
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
  /** The id of a principal, or its agent. Unless set: who is signed in. */
  readonly as?: string;
  readonly tool: string;
  /** Unless set: whatever the arguments. */
  readonly input?: unknown;
  /** While untrusted words are in the conversation. */
  readonly tainted?: boolean;
}
