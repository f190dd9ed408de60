import { canonicalJson } from "../../base/json/canonical-json.ts";
import type { PolicyProblem } from "../../types/policy-problem.ts";
import type { RuleConditions } from "../conditions.ts";
import type { PolicyOptions } from "../options.ts";
import { compilePattern, type PatternSubject } from "../right.ts";
import type { Rule } from "../rule.ts";
import { createProblem, type ProblemSite } from "./policy-problems.ts";

export interface PlacedRule {
  readonly rule: Rule;
  readonly id: string;
  readonly index: number;
}

const conditionFields = Object.keys({
  when: true,
  tainted: true,
  repaired: true,
  spent: true,
  path: true,
  from: true,
} satisfies Record<keyof RuleConditions, true>) as readonly (keyof RuleConditions)[];

const strictness: Record<Rule["effect"], number> = { deny: 2, approve: 1, allow: 0 };

interface ComparedRule extends PlacedRule {
  readonly conditionCount: number;
  readonly conditions: () => readonly string[];
  readonly text: () => string;
}

/** Rules that never decide, because another rule decides their calls. */
export const findCoveredRules = (
  rules: readonly PlacedRule[],
  toolkits: NonNullable<PolicyOptions["toolkits"]>,
): readonly PolicyProblem[] => {
  const compared = rules.map((each) => ({
    ...each,
    conditionCount: conditionFields.filter((field) => each.rule[field] !== undefined).length,
    conditions: memoize(() => conditionTexts(each.rule)),
    text: memoize(() => ruleTextOf(each.rule)),
  }));
  const candidatesFor = indexByCaller(compared);
  return compared.flatMap((covered) => {
    const by = candidatesFor(covered.rule).find(
      (other) => other !== covered && isCovered(covered, other, toolkits),
    );
    return by === undefined ? [] : [coveredProblem(covered, by)];
  });
};

/** A covering rule names all callers of the covered rule, so the first of them finds it. */
const indexByCaller = (rules: readonly ComparedRule[]): ((rule: Rule) => readonly ComparedRule[]) => {
  const byCaller = new Map<string, ComparedRule[]>();
  for (const each of rules) {
    for (const name of callerKeysOf(each.rule)) {
      const found = byCaller.get(name) ?? [];
      found.push(each);
      byCaller.set(name, found);
    }
  }
  return ({ agents, roles, users, tenants }) => [
    ...(byCaller.get("anyone") ?? []),
    ...(agents === undefined ? [] : (byCaller.get("agents") ?? [])),
    ...(roles === undefined ? [] : (byCaller.get(`role ${roles[0]}`) ?? [])),
    ...(users === undefined ? [] : (byCaller.get(`user ${users[0]}`) ?? [])),
    ...(tenants === undefined ? [] : (byCaller.get(`tenant ${tenants[0]}`) ?? [])),
  ];
};

const callerKeysOf = ({ agents, roles, users, tenants }: Rule): readonly string[] => {
  if (roles !== undefined) return roles.map((name) => `role ${name}`);
  if (users !== undefined) return users.map((name) => `user ${name}`);
  if (tenants !== undefined) return tenants.map((name) => `tenant ${name}`);
  return agents === undefined ? ["anyone"] : ["agents"];
};

const isCovered = (
  covered: ComparedRule,
  other: ComparedRule,
  toolkits: NonNullable<PolicyOptions["toolkits"]>,
): boolean =>
  isDecidedBy(covered, other) &&
  isCoveringCallers(other.rule, covered.rule) &&
  other.conditions().every((text) => covered.conditions().includes(text)) &&
  isCoveringTools(other.rule, covered.rule, toolkits);

/** Whether `other` overrides `covered` for the same calls. */
const isDecidedBy = (covered: ComparedRule, other: ComparedRule): boolean => {
  const more = strictness[other.rule.effect] - strictness[covered.rule.effect];
  if (more !== 0) return more > 0;
  if (covered.rule.waivesApproval === true && other.rule.waivesApproval !== true) return false;
  // Restrictions are all recorded with their reasons, so only an exact copy is redundant.
  if (covered.rule.effect !== "allow" || covered.conditionCount <= other.conditionCount)
    return other.index < covered.index && other.text() === covered.text();
  return true;
};

const memoize = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

const ruleTextOf = ({ id: _, ...rule }: Rule): string => canonicalJson(JSON.parse(JSON.stringify(rule)));

const conditionTexts = (rule: Rule): readonly string[] =>
  conditionFields.flatMap((field) =>
    rule[field] === undefined ? [] : [`${field} ${canonicalJson(JSON.parse(JSON.stringify(rule[field])))}`],
  );

const isCoveringCallers = (wide: Rule, narrow: Rule): boolean =>
  isCoveringNames(wide.users, narrow.users) &&
  isCoveringNames(wide.tenants, narrow.tenants) &&
  isCoveringNames(wide.roles, narrow.roles) &&
  isCoveringPatterns(wide.agents, narrow.agents, "agent");

const isCoveringTools = (
  wide: Rule,
  narrow: Rule,
  toolkits: NonNullable<PolicyOptions["toolkits"]>,
): boolean => {
  const kit = ({ toolkits: names }: Rule): readonly string[] | undefined =>
    names?.flatMap((name) => toolkits[name] ?? []);
  const given = [narrow.tools, kit(narrow)].filter((each) => each !== undefined);
  const isWithin = (patterns: readonly string[] | undefined): boolean =>
    patterns === undefined || given.some((each) => isCoveringPatterns(patterns, each, "tool"));
  return (
    isCoveringNames(wide.risk, narrow.risk) &&
    isCoveringNames(wide.source, narrow.source) &&
    isCoveringNames(wide.tags, narrow.tags) &&
    Object.entries(wide.annotations ?? {}).every(
      ([name, value]) =>
        value === undefined || narrow.annotations?.[name as keyof typeof narrow.annotations] === value,
    ) &&
    isWithin(wide.tools) &&
    isWithin(kit(wide))
  );
};

const isCoveringNames = (
  wide: readonly string[] | undefined,
  narrow: readonly string[] | undefined,
): boolean => wide === undefined || (narrow?.every((name) => wide.includes(name)) ?? false);

const isCoveringPatterns = (
  wide: readonly string[] | undefined,
  narrow: readonly string[] | undefined,
  subject: PatternSubject,
): boolean =>
  wide === undefined ||
  wide.some(isEverything) ||
  (narrow?.every((pattern) => wide.some((each) => isCoveringPattern(each, pattern, subject))) ?? false);

const isEverything = (pattern: string): boolean => pattern === "*" || pattern === "**";

/** False may also mean unknown. */
const isCoveringPattern = (wide: string, narrow: string, subject: PatternSubject): boolean => {
  if (wide === narrow || isEverything(wide)) return true;
  if (isEverything(narrow) || !wide.includes("*")) return false;
  const inside = wide.endsWith("/**") ? wide.slice(0, -2) : undefined;
  if (narrow.includes("**"))
    return inside !== undefined && !inside.includes("*") && narrow.startsWith(inside);
  // No name contains the replacement character, so only a star of `wide` matches it.
  return compilePattern(wide, subject)(narrow.replaceAll("*", "\u0001"));
};

const coveredProblem = (
  { rule, id, index, conditionCount }: ComparedRule,
  by: ComparedRule,
): PolicyProblem => {
  const site: ProblemSite = { path: ["policy", "rules", index], ruleId: id };
  const isSame = rule.effect === by.rule.effect;
  const why = isSame
    ? `changes nothing: "${by.id}" has the same effect for the same callers and tools${conditionCount > by.conditionCount ? ", without its condition" : ""}`
    : `never decides: "${by.id}" has the effect "${by.rule.effect}" for the same callers and tools, which wins over "${rule.effect}"`;
  return createProblem(site, "covered_rule", why, {
    suggestion: `Remove it, or narrow "${by.id}".`,
  });
};
