import { isObject } from "../base/json/json-value.ts";
import { compileCondition } from "../base/schema/compile-condition.ts";
import { findUnknownKeywords } from "../base/schema/find-unknown-keywords.ts";
import { nearest } from "../base/text/nearest.ts";
import type { JsonSchema } from "../types/json.ts";
import { valueSources } from "../types/lineage.ts";
import type { PolicyProblem } from "../types/policy-problem.ts";
import { risks } from "../types/tool.ts";
import {
  createProblem,
  invalidPolicyProblem,
  type ProblemSite,
  siteAt,
  suggestionText,
} from "./check/policy-problems.ts";
import { compilePattern, type PatternSubject } from "./right.ts";
import type { Rule } from "./rule.ts";

type FieldKind =
  | "text"
  | "list"
  | "folders"
  | "flag"
  | "schema"
  | "amount"
  | "sources"
  | { readonly [field: string]: FieldKind };

const ruleFields = {
  id: "text",
  effect: "text",
  agents: "list",
  roles: "list",
  users: "list",
  tenants: "list",
  tools: "list",
  toolkits: "list",
  risk: "list",
  source: "list",
  tags: "list",
  annotations: { readOnly: "flag", idempotent: "flag", destructive: "flag", openWorld: "flag" },
  when: "schema",
  tainted: "flag",
  repaired: "flag",
  spent: { calls: "amount", cost: "amount" },
  waivesApproval: "flag",
  path: { argument: "text", within: "folders", outside: "folders" },
  reason: "text",
  tellModel: "text",
  from: "sources",
} as const satisfies Record<keyof Rule, FieldKind>;

const validEffects = ["allow", "deny", "approve"];

/** A misspelled field or keyword would silently widen or disable its rule. */
export const findRuleErrors = (
  rule: unknown,
  index: number,
  toolkits: readonly string[],
): readonly PolicyProblem[] => {
  const id = isObject(rule) && typeof rule.id === "string" && rule.id !== "" ? rule.id : `rules[${index}]`;
  const site: ProblemSite = { path: ["policy", "rules", index], ruleId: id };
  if (!isObject(rule)) {
    return [invalidPolicyProblem(site, "is not a rule", 'Write { effect: "allow", tools: ["ns/*"] }.')];
  }
  const malformed = findRecordErrors(rule, ruleFields, site, "a rule");
  return malformed.length > 0 ? malformed : findMeaningErrors(rule as unknown as Rule, site, toolkits);
};

const findRecordErrors = (
  given: object,
  known: Readonly<Record<string, FieldKind>>,
  site: ProblemSite,
  what: string,
): readonly PolicyProblem[] =>
  Object.entries(given).flatMap(([field, value]) => {
    const here = siteAt(site, field);
    const names = Object.keys(known);
    if (!Object.hasOwn(known, field)) {
      const why = `is not a field of ${what}; the fields are ${names.join(", ")}`;
      return [invalidPolicyProblem(here, why, suggestionText(nearest(field, names)))];
    }
    const kind = known[field]!;
    if (value === undefined) return [];
    if (typeof kind === "string") return findValueErrors(value, kind, here);
    if (!isObject(value) || Object.values(value).every((each) => each === undefined)) {
      return [
        invalidPolicyProblem(here, `must be an object with at least one of ${Object.keys(kind).join(", ")}`),
      ];
    }
    return findRecordErrors(value, kind, here, `\`${field}\``);
  });

const findValueErrors = (value: unknown, kind: string, site: ProblemSite): readonly PolicyProblem[] => {
  if (kind === "sources") return findSourceErrors(value, site);
  if (kind === "list") return findListErrors(value, site);
  if (kind === "folders")
    return Array.isArray(value) ? findListErrors(value, site) : findValueErrors(value, "text", site);
  const wrong =
    kind === "text"
      ? (typeof value !== "string" || value === "") && "must be a non-empty string"
      : kind === "flag"
        ? typeof value !== "boolean" && "must be true or false"
        : kind === "amount"
          ? !(Number.isFinite(value) && (value as number) >= 0) && "must be a number of at least 0"
          : !isObject(value) && "must be a JSON Schema object";
  return wrong === false ? [] : [invalidPolicyProblem(site, wrong)];
};

const findSourceErrors = (value: unknown, site: ProblemSite): readonly PolicyProblem[] => {
  if (!isObject(value) || Object.keys(value).length === 0)
    return [
      invalidPolicyProblem(site, "must contain sources by argument", 'Write { to: ["user", "known"] }.'),
    ];
  return Object.entries(value).flatMap(([argument, sources]) => {
    const here = siteAt(site, argument);
    const malformed = findListErrors(sources, here);
    if (malformed.length > 0) return malformed;
    return (sources as readonly string[]).flatMap((source, index) => {
      if ((valueSources as readonly string[]).includes(source)) return [];
      const why = `is ${JSON.stringify(source)}; a source is ${valueSources.join(", ")}`;
      return [invalidPolicyProblem(siteAt(here, index), why, suggestionText(nearest(source, valueSources)))];
    });
  });
};

const findListErrors = (value: unknown, site: ProblemSite): readonly PolicyProblem[] => {
  if (typeof value === "string" && value !== "") {
    return [invalidPolicyProblem(site, "must be a list", `Write [${JSON.stringify(value)}].`)];
  }
  if (!Array.isArray(value) || value.length === 0) {
    return [
      invalidPolicyProblem(
        site,
        "must be a list with at least one entry",
        "Omit the field to include all of them.",
      ),
    ];
  }
  return value.flatMap((entry, index) => findValueErrors(entry, "text", siteAt(site, index)));
};

const findMeaningErrors = (
  rule: Rule,
  site: ProblemSite,
  toolkits: readonly string[],
): readonly PolicyProblem[] => {
  const found: PolicyProblem[] = [];
  const wrong = (steps: readonly (string | number)[], why: string, suggestion?: string): void => {
    found.push(invalidPolicyProblem(siteAt(site, ...steps), why, suggestion));
  };
  if (!validEffects.includes(rule.effect)) {
    const is = rule.effect === undefined ? "is missing" : `is ${JSON.stringify(rule.effect)}`;
    const meant = rule.effect === undefined ? undefined : nearest(rule.effect, validEffects);
    wrong(["effect"], `${is}; it must be "allow", "deny" or "approve"`, suggestionText(meant));
  }
  if (rule.waivesApproval === true && rule.effect !== "allow") {
    const why = 'works only in a rule whose effect is "allow"';
    wrong(["waivesApproval"], why, 'Remove it, or make the effect "allow".');
  }
  if (rule.tellModel !== undefined && rule.effect !== "deny") {
    const why = 'is text for the model of a denied call, so it works only in a rule whose effect is "deny"';
    wrong(["tellModel"], why, 'Remove it, or make the effect "deny".');
  }
  if (rule.path !== undefined && rule.path.within === undefined && rule.path.outside === undefined) {
    wrong(["path"], "has no folder", 'Write path: { within: "./notes" } or path: { outside: "./notes" }.');
  }
  for (const [index, risk] of (rule.risk ?? []).entries()) {
    if (risks.includes(risk)) continue;
    const why = `is ${JSON.stringify(risk)}; a risk is ${risks.join(", ")}`;
    wrong(["risk", index], why, suggestionText(nearest(risk, risks)));
  }
  for (const [index, name] of (rule.toolkits ?? []).entries()) {
    if (toolkits.includes(name)) continue;
    found.push(unknownToolkitProblem(siteAt(site, "toolkits", index), name, toolkits, "error"));
  }
  for (const field of ["roles", "users", "tenants", "source", "tags"] as const) {
    for (const [index, entry] of (rule[field] ?? []).entries()) {
      if (entry.includes("*")) {
        const why = `is ${JSON.stringify(entry)}, but must be a plain name; patterns with \`*\` are for agents and tools`;
        wrong([field, index], why, "List the names, or omit the field to include all of them.");
      }
    }
  }
  for (const [index, pattern] of (rule.tools ?? []).entries())
    found.push(...findPatternErrors(pattern, siteAt(site, "tools", index)));
  for (const [index, pattern] of (rule.agents ?? []).entries())
    found.push(...findPatternErrors(pattern, siteAt(site, "agents", index), "agent"));
  if (rule.when !== undefined) found.push(...findConditionErrors(rule.when, siteAt(site, "when")));
  return found;
};

export const unknownToolkitProblem = (
  site: ProblemSite,
  name: string,
  toolkits: readonly string[],
  severity: PolicyProblem["severity"],
): PolicyProblem => {
  const there = toolkits.length === 0 ? "has no toolkits" : `has the toolkits ${toolkits.join(", ")}`;
  return createProblem(site, "unknown_toolkit", `names "${name}", but the policy ${there}`, {
    severity,
    suggestion: suggestionText(nearest(name, toolkits)) ?? `Add "${name}" to the policy's toolkits.`,
  });
};

export const findPatternErrors = (
  pattern: unknown,
  site: ProblemSite,
  subject: PatternSubject = "tool",
): readonly PolicyProblem[] => {
  try {
    compilePattern(pattern as string, subject);
    return [];
  } catch (cause) {
    const why = `is refused: ${cause instanceof Error ? cause.message.replace(/\.$/, "") : String(cause)}`;
    return [
      invalidPolicyProblem(
        site,
        why,
        typeof pattern === "string" ? suggestionText(respellPattern(pattern, subject)) : undefined,
      ),
    ];
  }
};

const respellPattern = (pattern: string, subject: PatternSubject): string | undefined => {
  const meant = pattern
    .trim()
    .replaceAll(/\s*[.:\\]+\s*|\/{2,}/g, "/")
    .replaceAll(/\*{3,}/g, "**");
  try {
    compilePattern(meant, subject);
    return meant;
  } catch {
    return undefined;
  }
};

const findConditionErrors = (when: JsonSchema, site: ProblemSite): readonly PolicyProblem[] => {
  try {
    const unknown = findUnknownKeywords(when).map(({ path, keyword, meant, isProperty }) =>
      createProblem(
        siteAt(site, ...path),
        "unknown_keyword",
        "is not a JSON Schema keyword, so it would be ignored",
        {
          severity: "error",
          suggestion:
            meant !== undefined
              ? suggestionText(meant)
              : isProperty
                ? `If "${keyword}" is an argument, put it under "properties".`
                : `Remove it, or begin its name with "x-" if it is a note.`,
        },
      ),
    );
    if (unknown.length > 0) return unknown;
    compileCondition(when);
    return [];
  } catch (cause) {
    return [
      invalidPolicyProblem(
        site,
        `is not a usable JSON Schema (${cause instanceof Error ? cause.message : cause})`,
      ),
    ];
  }
};
