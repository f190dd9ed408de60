import type { JsonObject } from "../base/json/json-value.ts";
import { nearest, suggestName } from "../base/text/nearest.ts";
import type { UnmatchedToolPattern } from "../types/mcp.ts";
import type { PolicyProblem } from "../types/policy-problem.ts";
import type { Principal } from "../types/principal.ts";
import type { Registration } from "../types/tool.ts";
import { memberNames } from "./check/argument-schema.ts";
import { checkPatterns, createRuleToolFinder, type RuleTools } from "./check/check-selectors.ts";
import { checkWhen, findUnknownFormats } from "./check/check-when.ts";
import { findCoveredRules, type PlacedRule } from "./check/find-covered-rules.ts";
import { findPolicyErrors } from "./check/find-policy-errors.ts";
import { createProblem, type ProblemSite, siteAt, suggestionText } from "./check/policy-problems.ts";
import { distinctInputs, findToolArguments, toolsWithArgument } from "./check/tool-arguments.ts";
import { indexTools, type PendingServer, type ToolIndex } from "./check/tool-index.ts";
import { type PathCondition, pathArgumentOf, type RuleConditions } from "./conditions.ts";
import { delegationChainOf } from "./delegation-chain.ts";
import type { SyncPolicyEngine } from "./engine.ts";
import { findPatternErrors, unknownToolkitProblem } from "./find-rule-errors.ts";
import type { PolicyOptions, Rights, RightTable } from "./options.ts";
import { createPolicyEngine } from "./policy.ts";
import { compilePattern, type Right } from "./right.ts";
import type { Rule } from "./rule.ts";

type UnmatchedServerPattern = UnmatchedToolPattern & { readonly server: string };

/** A caller that is known in advance, and where its rights are configured. */
export interface CheckedPrincipal {
  readonly principal: Principal;
  readonly path: readonly (string | number)[];
}

const checkRight = (
  right: Right,
  site: ProblemSite,
  index: ToolIndex,
  toolkits: readonly string[],
): readonly PolicyProblem[] => [
  ...(["allow", "deny"] as const).flatMap((field) => {
    const patterns = right[field] ?? [];
    const wrong = patterns.flatMap((pattern, position) =>
      findPatternErrors(pattern, siteAt(site, field, position)),
    );
    return wrong.length > 0 ? wrong : checkPatterns(patterns, siteAt(site, field), index);
  }),
  ...(right.toolkits ?? []).flatMap((name, position) =>
    toolkits.includes(name)
      ? []
      : [unknownToolkitProblem(siteAt(site, "toolkits", position), name, toolkits, "warning")],
  ),
];

const checkPrincipal = (
  { principal, path }: CheckedPrincipal,
  index: ToolIndex,
  options: PolicyOptions,
  engine: SyncPolicyEngine,
): readonly PolicyProblem[] => {
  const toolkits = Object.keys(options.toolkits ?? {});
  const chain = delegationChainOf(principal);
  if (typeof chain === "string") return [];
  const site: ProblemSite = { path };
  const found = chain.flatMap((link, depth) =>
    checkRight(link, siteAt(site, ...Array.from({ length: depth }, () => "within")), index, toolkits),
  );
  if (found.length > 0) return found;
  return isFullyDenied(principal, index, engine)
    ? [nothingAllowedProblem(principal, site, index, engine)]
    : [];
};

const isFullyDenied = (principal: Principal, index: ToolIndex, engine: SyncPolicyEngine): boolean =>
  index.all.length > 0 &&
  !index.hasPending &&
  index.all.every((registration) => engine.visible(principal, registration).effect === "deny");

const nothingAllowedProblem = (
  principal: Principal,
  site: ProblemSite,
  index: ToolIndex,
  engine: SyncPolicyEngine,
): PolicyProblem => {
  const { reason } = engine.visible(principal, index.all[0]!);
  const hasRight = (principal.allow?.length ?? 0) + (principal.toolkits?.length ?? 0) > 0;
  return createProblem(
    site,
    "nothing_allowed",
    `("${principal.agent}") may use none of the ${index.all.length} tools: ${reason}`,
    {
      suggestion: hasRight
        ? "Add a rule or a right that allows it a tool."
        : `Allow tools by name: allow: [${JSON.stringify(index.all[0]!.key)}], or allow: ["*"] for all of them.`,
    },
  );
};

/** The policy and what it is checked against. */
export interface PolicyCheck {
  readonly policy: PolicyOptions;
  readonly registrations: readonly Registration[];
  /**
   * Servers that may still register tools; patterns that could match those are not reported. Unless set:
   * none.
   */
  readonly pendingServers?: readonly PendingServer[];
  /** Patterns in the settings of servers that match none of their tools. Unless set: none. */
  readonly unmatched?: readonly UnmatchedServerPattern[];
  /** Callers that are known in advance. Unless set: none. */
  readonly principals?: readonly CheckedPrincipal[];
}

/**
 * Finds rules, toolkits and rights that cannot take effect with these tools. With `strict` every problem is
 * an error.
 */
export const checkPolicy = ({
  policy: options,
  registrations,
  pendingServers = [],
  unmatched = [],
  principals = [],
}: PolicyCheck): readonly PolicyProblem[] => {
  const errors = findPolicyErrors(options);
  const index = indexTools(registrations, pendingServers);
  const { toolkits = {}, rights = {}, strict } = options;
  const rules = readableRules(options, errors);
  const found = [
    ...errors,
    // A rule's tools are known only if its toolkits are valid.
    ...(errors.some(({ ruleId }) => ruleId === undefined) ? [] : checkRules(rules, options, index)),
    ...(errors.length > 0 ? [] : checkToolkits(toolkits, index)),
    ...(errors.length > 0 || index.hasPending ? [] : checkKnownTargets(options, index)),
    ...(errors.length > 0 ? [] : checkTables(rights, Object.keys(toolkits), index)),
    ...(errors.length > 0 || principals.length === 0 ? [] : checkPrincipals(principals, index, options)),
    ...unmatched.map(toUnmatchedProblem),
  ];
  return strict === true ? found.map((each) => ({ ...each, severity: "error" })) : found;
};

const toUnmatchedProblem = ({ server, setting, at, pattern, meant }: UnmatchedServerPattern): PolicyProblem =>
  createProblem(
    { path: ["mcp", "servers", server, setting, at] },
    "unknown_tool",
    `${typeof at === "number" ? `${JSON.stringify(pattern)} ` : ""}matches no tool of the server`,
    { suggestion: suggestionText(meant) },
  );

const readableRules = (
  { rules = [] }: PolicyOptions,
  errors: readonly PolicyProblem[],
): readonly PlacedRule[] => {
  const broken = new Set(errors.map(({ ruleId }) => ruleId));
  return rules.flatMap((rule, index) => {
    const id = rule?.id ?? `rules[${index}]`;
    return broken.has(id) ? [] : [{ rule, id, index }];
  });
};

const checkRules = (
  rules: readonly PlacedRule[],
  { toolkits = {}, rights = {} }: PolicyOptions,
  index: ToolIndex,
): readonly PolicyProblem[] => {
  const toolsOf = createRuleToolFinder(index, toolkits);
  return [
    ...rules.flatMap(({ rule, id, index: position }) => {
      const site: ProblemSite = { path: ["policy", "rules", position], ruleId: id };
      const tools = toolsOf(rule, site);
      return [...tools.problems, ...checkCallers(rule, rights, site), ...checkConditions(rule, tools, site)];
    }),
    ...findCoveredRules(rules, toolkits),
  ];
};

type ConditionCheck<Field extends keyof RuleConditions> = (
  given: NonNullable<RuleConditions[Field]>,
  tools: RuleTools,
  site: ProblemSite,
) => readonly PolicyProblem[];

/** Conditions that depend on the run cannot be checked in advance. */
const conditionChecks: { readonly [Field in keyof RuleConditions]-?: ConditionCheck<Field> } = {
  when: (when, { tools, isComplete }, site) => [
    ...findUnknownFormats(when, site),
    ...(isComplete ? checkWhen(when as JsonObject, tools, site) : []),
  ],
  path: (path, { tools, isComplete }, site) => (isComplete ? checkPath(path, tools, site) : []),
  from: (from, { tools, isComplete }, site) =>
    isComplete
      ? Object.keys(from).flatMap((argument) =>
          checkArgument(
            argument,
            tools,
            siteAt(site, argument),
            (names) => `The arguments are: ${names.join(", ")}.`,
          ),
        )
      : [],
  tainted: () => [],
  repaired: () => [],
  spent: ({ calls, cost }, _, site) => {
    if ((calls ?? 0) > 0 || (cost ?? 0) > 0) return [];
    return [
      createProblem(site, "always_holds", "always holds: every run has spent at least 0", {
        suggestion: "Set the amount from which the rule applies, or remove the condition.",
      }),
    ];
  },
};

const checkConditions = (rule: Rule, tools: RuleTools, site: ProblemSite): readonly PolicyProblem[] =>
  (Object.keys(conditionChecks) as (keyof RuleConditions)[]).flatMap((field) => {
    const given = rule[field];
    if (given === undefined) return [];
    return (conditionChecks[field] as ConditionCheck<keyof RuleConditions>)(
      given as never,
      tools,
      siteAt(site, field),
    );
  });

/** A caller that is missing in a table may use nothing. */
const checkCallers = (rule: Rule, rights: Rights, site: ProblemSite): readonly PolicyProblem[] =>
  (["agents", "users", "tenants"] as const).flatMap((field) => {
    const table = rights[field];
    if (table === undefined) return [];
    const names = Object.keys(table);
    return (rule[field] ?? []).flatMap((entry, position) => {
      const isKnown = field === "agents" ? names.some(compilePattern(entry, "agent")) : names.includes(entry);
      if (isKnown) return [];
      const why = `${JSON.stringify(entry)} is not in rights.${field}, so it may not use any tool and the rule never applies to it`;
      const suggestion =
        suggestionText(nearest(entry, names)) ?? `Add it to rights.${field}, or remove it here.`;
      return [createProblem(siteAt(site, field, position), "unknown_caller", why, { suggestion })];
    });
  });

/** Tools that accept any arguments do not count: the name is most likely a mistake. */
const checkKnownTargets = ({ injection }: PolicyOptions, { all }: ToolIndex): readonly PolicyProblem[] => {
  const inputs = distinctInputs(all);
  const names = [...new Set(inputs.flatMap(({ schemas }) => schemas.flatMap(memberNames)))];
  return Object.keys(injection?.knownTargets ?? {}).flatMap((argument) => {
    if (names.includes(argument)) return [];
    const site: ProblemSite = { path: ["policy", "injection", "knownTargets", argument] };
    const suggestion = suggestName(argument, names).trimStart() || undefined;
    return [createProblem(site, "unknown_property", "is an argument of no tool", { suggestion })];
  });
};

const checkToolkits = (
  toolkits: NonNullable<PolicyOptions["toolkits"]>,
  index: ToolIndex,
): readonly PolicyProblem[] =>
  Object.entries(toolkits).flatMap(([name, patterns]) =>
    checkPatterns(patterns, { path: ["policy", "toolkits", name] }, index),
  );

const checkTables = (
  rights: Rights,
  toolkits: readonly string[],
  index: ToolIndex,
): readonly PolicyProblem[] =>
  (Object.entries(rights) as [keyof Rights, RightTable | undefined][]).flatMap(([table, entries = {}]) =>
    Object.entries(entries).flatMap(([name, right]) =>
      checkRight(right, { path: ["policy", "rights", table, name] }, index, toolkits),
    ),
  );

const checkPrincipals = (
  principals: readonly CheckedPrincipal[],
  index: ToolIndex,
  options: PolicyOptions,
): readonly PolicyProblem[] => {
  const engine = createPolicyEngine(options);
  return principals.flatMap((each) => checkPrincipal(each, index, options, engine));
};

const checkPath = (
  condition: PathCondition,
  tools: readonly Registration[],
  site: ProblemSite,
): readonly PolicyProblem[] => {
  const argument = pathArgumentOf(condition);
  return checkArgument(
    argument,
    tools,
    site,
    (names) => `Set the argument: path: { argument: "${names[0] ?? "file"}", within: … }.`,
  );
};

/** For an argument that none of the tools has. */
const checkArgument = (
  argument: string,
  tools: readonly Registration[],
  site: ProblemSite,
  remedy: (names: readonly string[]) => string,
): readonly PolicyProblem[] => {
  const inputs = distinctInputs(tools);
  if (
    inputs.length === 0 ||
    findToolArguments(inputs).isOpen ||
    toolsWithArgument(inputs, argument).length > 0
  )
    return [];
  const names = [...new Set(inputs.flatMap(({ schemas }) => schemas.flatMap(memberNames)))];
  const why = `concerns the argument "${argument}", which none of its tools has`;
  const suggestion = suggestName(argument, names).trimStart() || remedy(names);
  return [createProblem(site, "unknown_property", why, { suggestion })];
};
