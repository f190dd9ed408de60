import type { Principal } from "../types/principal.ts";
import type { Annotations } from "../types/spec.ts";
import type { Registration } from "../types/tool.ts";
import { compilePatterns, type Matcher } from "./compile-pattern.ts";
import { type ConditionSite, compileConditions, type RuleCondition } from "./conditions.ts";
import type { Toolkits } from "./right.ts";
import type { Rule } from "./rule.ts";

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
