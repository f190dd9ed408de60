import { nearest } from "../../base/text/nearest.ts";
import type { PolicyProblem } from "../../types/policy-problem.ts";
import type { Annotations, Registration } from "../../types/tool.ts";
import type { PolicyOptions } from "../options.ts";
import type { Rule } from "../rule.ts";
import { createProblem, type ProblemSite, siteAt, suggestionText } from "./policy-problems.ts";
import type { ToolIndex } from "./tool-index.ts";

export interface RuleTools {
  readonly tools: readonly Registration[];
  /** False if an unconnected server may add tools. */
  readonly isComplete: boolean;
  readonly problems: readonly PolicyProblem[];
}

export const checkPatterns = (
  patterns: readonly string[],
  site: ProblemSite,
  index: ToolIndex,
): readonly PolicyProblem[] => {
  if (index.all.length === 0) return [];
  return patterns.flatMap((pattern, position) => {
    const here = siteAt(site, position);
    const found = index.matching(pattern);
    if (found.length > 0) return checkOverridden(pattern, found, here, index);
    if (index.mayMatchLater(pattern)) return [];
    const suggestion =
      suggestionText(index.suggest(pattern)) ?? "Correct the name, or remove it; haft tools lists the tools.";
    return [
      createProblem(here, "unknown_tool", `${JSON.stringify(pattern)} matches no tool`, { suggestion }),
    ];
  });
};

/** A model that calls the short name gets the overriding tool, to which the rule does not apply. */
const checkOverridden = (
  pattern: string,
  found: readonly Registration[],
  site: ProblemSite,
  index: ToolIndex,
): readonly PolicyProblem[] => {
  if (!found.some(({ key, origin }) => key === pattern && origin === "internal")) return [];
  const keys = index.overriding(pattern).map(({ key }) => JSON.stringify(key));
  if (keys.length === 0) return [];
  const why = `${JSON.stringify(pattern)} means the internal tool, and models that call this name get ${keys.join(" or ")}`;
  const suggestion = `Add ${keys.join(" and ")} if the rule is for it too.`;
  return [createProblem(site, "overridden_tool", why, { suggestion })];
};

export const createRuleToolFinder = (
  index: ToolIndex,
  toolkits: NonNullable<PolicyOptions["toolkits"]>,
): ((rule: Rule, site: ProblemSite) => RuleTools) => {
  const known = new Map<string, ToolSelection>();
  const traits = createTraitIndex(index);
  return (rule, site) => {
    const unmatched = checkPatterns(rule.tools ?? [], siteAt(site, "tools"), index);
    const { tools: patterns, toolkits: kits, risk, source, tags, annotations } = rule;
    const key = JSON.stringify([patterns, kits, risk, source, tags, annotations]);
    const selection = known.get(key) ?? selectTools(rule, index, toolkits, traits);
    known.set(key, selection);
    const isComplete = !isExpandable(rule, index, toolkits);
    const isReported =
      selection.tools.length > 0 || unmatched.length > 0 || !isComplete || index.all.length === 0;
    return {
      tools: selection.tools,
      isComplete,
      problems: isReported ? unmatched : [noMatchProblem(rule, selection, site)],
    };
  };
};

interface ToolSelection {
  readonly tools: readonly Registration[];
  /** The first field that removed all tools. */
  readonly emptiedBy?: { readonly field: keyof Rule; readonly from: readonly Registration[] };
}

/** Candidates for a rule that names no tools. */
type TraitIndex = (rule: Rule) => readonly Registration[] | undefined;

const createTraitIndex = (index: ToolIndex): TraitIndex => {
  let byTrait: Map<string, Registration[]> | undefined;
  return ({ tags, risk }) => {
    const wanted = tags?.map((tag) => `tag ${tag}`) ?? risk?.map((each) => `risk ${each}`);
    if (wanted === undefined) return undefined;
    byTrait ??= groupByTrait(index.all);
    const found = wanted.flatMap((trait) => byTrait!.get(trait) ?? []);
    return found.length === 0 ? undefined : wanted.length === 1 ? found : [...new Set(found)];
  };
};

const groupByTrait = (all: readonly Registration[]): Map<string, Registration[]> => {
  const byTrait = new Map<string, Registration[]>();
  for (const registration of all) {
    const { tags, risk } = registration.tool.spec;
    for (const trait of [...new Set(tags.map((tag) => `tag ${tag}`)), `risk ${risk}`]) {
      const found = byTrait.get(trait) ?? [];
      found.push(registration);
      byTrait.set(trait, found);
    }
  }
  return byTrait;
};

type SelectorFilter = readonly [keyof Rule, (registration: Registration) => boolean];

const selectTools = (
  rule: Rule,
  index: ToolIndex,
  toolkits: NonNullable<PolicyOptions["toolkits"]>,
  traits: TraitIndex,
): ToolSelection => {
  const kit = rule.toolkits?.flatMap((name) => toolkits[name] ?? []);
  let tools = rule.tools === undefined ? index.all : findMatchingAny(rule.tools, index);
  if (tools === index.all && kit === undefined) tools = traits(rule) ?? tools;
  if (kit !== undefined) {
    const inKit = findMatchingAny(kit, index);
    const before = tools;
    tools = rule.tools === undefined ? inKit : tools.filter((each) => inKit.includes(each));
    if (tools.length === 0) return { tools, emptiedBy: { field: "toolkits", from: before } };
  }
  for (const [field, fits] of selectorFilters(rule)) {
    const before = tools;
    tools = tools.filter(fits);
    if (tools.length === 0) return { tools, emptiedBy: { field, from: before } };
  }
  return { tools };
};

const selectorFilters = ({ risk, source, tags, annotations }: Rule): readonly SelectorFilter[] => [
  ...(risk === undefined ? [] : [["risk", ({ tool }) => risk.includes(tool.spec.risk)] as SelectorFilter]),
  ...(source === undefined
    ? []
    : [["source", ({ tool }) => source.includes(tool.spec.source)] as SelectorFilter]),
  ...(tags === undefined
    ? []
    : [["tags", ({ tool }) => tool.spec.tags.some((tag) => tags.includes(tag))] as SelectorFilter]),
  ...(annotations === undefined
    ? []
    : [["annotations", ({ tool }) => hasAnnotations(tool.spec.annotations, annotations)] as SelectorFilter]),
];

const hasAnnotations = (given: Annotations, wanted: NonNullable<Rule["annotations"]>): boolean =>
  Object.entries(wanted).every(
    ([name, value]) => value === undefined || (given[name as keyof Annotations] === true) === value,
  );

const findMatchingAny = (patterns: readonly string[], index: ToolIndex): readonly Registration[] =>
  patterns.length === 1
    ? index.matching(patterns[0]!)
    : [...new Set(patterns.flatMap((pattern) => index.matching(pattern)))];

const isExpandable = (
  { tools, toolkits: names }: Rule,
  index: ToolIndex,
  toolkits: NonNullable<PolicyOptions["toolkits"]>,
): boolean => {
  if (!index.hasPending) return false;
  const patterns = tools ?? names?.flatMap((name) => toolkits[name] ?? []);
  return patterns === undefined || patterns.some(index.mayMatchLater);
};

const noMatchProblem = (rule: Rule, { emptiedBy }: ToolSelection, site: ProblemSite): PolicyProblem => {
  const { field, from } = emptiedBy ?? { field: "tools" as const, from: [] };
  const given = JSON.stringify(rule[field]);
  const isWhole = rule.tools === undefined && rule.toolkits === undefined;
  const who = isWhole ? "no tool has it" : `none of the rule's tools has it (${listToolKeys(from)})`;
  if (field === "toolkits") {
    const why = `is ${given}, but no tool is in ${rule.tools === undefined ? "it" : "it and in `tools`"}`;
    return createProblem(siteAt(site, field), "no_matching_tool", why, {
      suggestion: "Add tools to the toolkit, or remove the rule.",
    });
  }
  return createProblem(siteAt(site, field), "no_matching_tool", `is ${given}, but ${who}`, {
    suggestion: suggestValues(rule, field, from),
  });
};

const listToolKeys = (tools: readonly Registration[]): string => {
  const shown = tools.slice(0, 3).map(({ key }) => key);
  return `${shown.join(", ")}${tools.length > 3 ? `, … ${tools.length} in all` : ""}`;
};

const suggestValues = (rule: Rule, field: keyof Rule, from: readonly Registration[]): string => {
  const specs = from.map(({ tool }) => tool.spec);
  if (field === "annotations") return "Annotate the tools, or remove the field.";
  const there = new Set(
    specs.flatMap((spec): readonly string[] =>
      field === "risk" ? [spec.risk] : field === "source" ? [spec.source] : spec.tags,
    ),
  );
  const [first = ""] = (rule[field] as readonly string[] | undefined) ?? [];
  const meant = nearest(first, [...there]);
  if (meant !== undefined) return suggestionText(meant)!;
  return there.size === 0
    ? `None of them has any ${field}.`
    : `They have ${[...there].slice(0, 10).join(", ")}.`;
};
