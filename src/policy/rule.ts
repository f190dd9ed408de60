import type { Principal } from "../types/principal.ts";
import type { Annotations, Registration, Risk, ToolSource } from "../types/tool.ts";
import {
  type ConditionSite,
  compileConditions,
  type RuleCondition,
  type RuleConditions,
} from "./conditions.ts";
import { compilePatterns, type Matcher, type Toolkits } from "./right.ts";

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

export interface CompiledRule {
  readonly id: string;
  readonly effect: Rule["effect"];
  readonly waivesApproval: boolean;
  readonly reason: string | undefined;
  readonly tellModel: string | undefined;
  readonly concerns: (principal: Principal) => boolean;
  readonly covers: (registration: Registration) => boolean;
  readonly conditions: readonly RuleCondition[];
}

/** Expects a rule that passed `findRuleErrors`. */
export const compileRule = (
  rule: Rule,
  site: ConditionSite & { readonly toolkits: Toolkits },
): CompiledRule => {
  const { place, toolkits } = site;
  return Object.freeze({
    id: rule.id ?? place,
    effect: rule.effect,
    waivesApproval: rule.waivesApproval === true,
    reason: rule.reason,
    tellModel: rule.tellModel,
    concerns: compileCallerMatcher(rule),
    covers: compileToolMatcher(rule, toolkits),
    conditions: compileConditions(rule, site, rule.effect),
  });
};

const compileCallerMatcher = (rule: Rule): CompiledRule["concerns"] => {
  const agents = rule.agents && compilePatterns(rule.agents, "agent");
  const roles = rule.roles && new Set(rule.roles);
  const users = rule.users && new Set<string | undefined>(rule.users);
  const tenants = rule.tenants && new Set<string | undefined>(rule.tenants);
  return (principal) =>
    (agents === undefined || agents(principal.agent)) &&
    (roles === undefined || (principal.roles ?? []).some((role) => roles.has(role))) &&
    (users === undefined || users.has(principal.user)) &&
    (tenants === undefined || tenants.has(principal.tenant));
};

const compileToolMatcher = (rule: Rule, toolkits: Toolkits): CompiledRule["covers"] => {
  const tools = rule.tools && compilePatterns(rule.tools);
  const kits = rule.toolkits?.map((name) => toolkits.get(name) as Matcher);
  const allowedRisks = rule.risk && new Set(rule.risk);
  const sources = rule.source && new Set(rule.source);
  const tags = rule.tags && new Set(rule.tags);
  const annotations = rule.annotations && compileAnnotations(rule.annotations);
  return ({ key, tool }) => {
    const { spec } = tool;
    return (
      (tools === undefined || tools(key)) &&
      (kits === undefined || kits.some((kit) => kit(key))) &&
      (allowedRisks === undefined || allowedRisks.has(spec.risk)) &&
      (sources === undefined || sources.has(spec.source)) &&
      (tags === undefined || spec.tags.some((tag) => tags.has(tag))) &&
      (annotations === undefined || annotations(spec.annotations))
    );
  };
};

const compileAnnotations = (wanted: NonNullable<Rule["annotations"]>) => {
  const each = Object.entries(wanted) as [keyof typeof wanted, boolean | undefined][];
  const named = each.filter(([, value]) => value !== undefined);
  return (given: Annotations): boolean => named.every(([name, value]) => (given[name] === true) === value);
};
