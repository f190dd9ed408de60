import type { Annotations, Risk, ToolSource } from "../types/spec.ts";
import type { RuleConditions } from "./conditions.ts";

/** A policy rule. All of its fields must match; within a list, one entry is enough. */
export interface Rule extends RuleConditions {
  /** Name of the rule in the ledger. Unless set: its position, as `rules[0]`. */
  readonly id?: string;
  /** Deny overrides approve, and approve overrides allow, independent of their order. */
  readonly effect: "allow" | "deny" | "approve";
  /** Agent names or patterns. Unless set: every agent. */
  readonly agents?: readonly string[];
  /** Role names. One of the caller's roles must match. Unless set: every caller. */
  readonly roles?: readonly string[];
  /** User names. A caller without a user does not match. Unless set: every caller. */
  readonly users?: readonly string[];
  /** Tenant names. A caller without a tenant does not match. Unless set: every caller. */
  readonly tenants?: readonly string[];
  /** Full tool names or patterns: `get_*`, `shop/*`, `shop/**`. Unless set: every tool. */
  readonly tools?: readonly string[];
  /** Toolkits of the policy. An unknown toolkit is refused at startup. Unless set: every tool. */
  readonly toolkits?: readonly string[];
  /** Risks of tools. Unless set: every risk. */
  readonly risk?: readonly Risk[];
  /**
   * Sources of tools, as declared or by implementation: `http`, `mcp`, `function`. Unless set: every source.
   */
  readonly source?: readonly ToolSource[];
  /** Tags. One of the tool's tags must match. Unless set: any tags. */
  readonly tags?: readonly string[];
  /**
   * Annotations that must all match. An annotation that the tool omits counts as false. Unless set: any
   * annotations.
   */
  readonly annotations?: Omit<Annotations, "title">;
  /** On an `allow` rule: calls that it matches need no approval, even for risky tools. Unless set: false. */
  readonly waivesApproval?: boolean;
  /** Reason for operators. It is stored in the ledger and never shown to a model. Unless set: none. */
  readonly reason?: string;
  /** On a `deny` rule: additional text for the model, such as what to do instead. Unless set: nothing. */
  readonly tellModel?: string;
}
