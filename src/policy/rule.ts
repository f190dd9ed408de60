import type { Annotations, Risk, ToolSource } from "../types/spec.ts";
import type { RuleConditions } from "./conditions.ts";

/** A statement about calls. Every field it has must fit; within one list, one entry is enough. */
export interface Rule extends RuleConditions {
  /** Names the rule in the ledger. Unless set: its place, as `rules[0]`. */
  readonly id?: string;
  /** Deny wins over approve, and approve over allow, whatever their order. */
  readonly effect: "allow" | "deny" | "approve";
  /** Names or patterns, like those of tools. */
  readonly agents?: readonly string[];
  /** Plain names. Of the caller's roles one is enough. */
  readonly roles?: readonly string[];
  /** Plain names. A caller without a user fits none. */
  readonly users?: readonly string[];
  /** Plain names. A caller without a tenant fits none. */
  readonly tenants?: readonly string[];
  /** Full names or patterns: `get_*`, `shop/*`, `shop/**`. */
  readonly tools?: readonly string[];
  /** Toolkits of the policy; one that is not there is refused when the policy is read. */
  readonly toolkits?: readonly string[];
  /** Tools of one of these risks. */
  readonly risk?: readonly Risk[];
  /** What the tool says of itself, or what its code is: `http`, `mcp`, `function`. */
  readonly source?: readonly ToolSource[];
  /** One of the tool's tags is enough. */
  readonly tags?: readonly string[];
  /** What the tool says of itself, every one named; what it leaves out it denies. */
  readonly annotations?: Omit<Annotations, "title">;
  /** On an `allow`: calls it covers need no person, although the tool is risky or asks for one. Unless set: false. */
  readonly waivesApproval?: boolean;
  /** Why, for operators: it is in the ledger, and no model reads it. */
  readonly reason?: string;
  /** On a `deny`: what the model reads besides that the call is not allowed, such as what to do instead. Unless set: nothing. */
  readonly tellModel?: string;
}
