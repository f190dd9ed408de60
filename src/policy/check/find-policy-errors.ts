import { isObject } from "../../base/json/json-value.ts";
import { suggestName } from "../../base/text/nearest.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { PolicyProblem } from "../../types/policy-problem.ts";
import { findPatternErrors, findRuleErrors } from "../find-rule-errors.ts";
import { injectionModes } from "../lineage/injection-guard.ts";
import type { PolicyOptions } from "../options.ts";
import { compilePatterns, type Matcher } from "../right.ts";
import { compileTables } from "../right-tables.ts";
import { invalidPolicyProblem, type ProblemSite, problemText, siteAt } from "./policy-problems.ts";

export const findPolicyErrors = (options: PolicyOptions): readonly PolicyProblem[] => {
  const { rules = [], toolkits = {} } = options;
  const site: ProblemSite = { path: ["policy"] };
  if (!Array.isArray(rules)) return [invalidPolicyProblem(siteAt(site, "rules"), "must be a list of rules")];
  if (!isObject(toolkits))
    return [invalidPolicyProblem(siteAt(site, "toolkits"), "must contain lists of patterns by name")];
  const names = Object.keys(toolkits);
  const found = [
    ...findInjectionErrors(options.injection, siteAt(site, "injection")),
    ...flags.flatMap((name) => flagErrors(options[name], siteAt(site, name))),
    ...names.flatMap((name) => findToolkitErrors(toolkits[name], siteAt(site, "toolkits", name))),
    ...rules.flatMap((rule, index) => findRuleErrors(rule, index, names)),
    ...findDuplicateIds(rules, site),
  ];
  return [...found, ...findRightErrors(options, names, site)];
};

const injectionFields = ["mode", "knownTargets"];

const findInjectionErrors = (given: unknown, site: ProblemSite): readonly PolicyProblem[] => {
  if (given === undefined) return [];
  if (!isObject(given))
    return [invalidPolicyProblem(site, "must be an object", 'Write { mode: "lineage" }.')];
  const { mode, knownTargets, ...others } = given as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  const meant = unknown === undefined ? undefined : suggestName(unknown, injectionFields).trimStart();
  return [
    ...(unknown === undefined
      ? []
      : [
          invalidPolicyProblem(
            siteAt(site, unknown),
            `is unknown; the fields are ${injectionFields.join(", ")}`,
            meant,
          ),
        ]),
    ...(mode === undefined || (injectionModes as readonly unknown[]).includes(mode)
      ? []
      : [
          invalidPolicyProblem(
            siteAt(site, "mode"),
            `is ${JSON.stringify(mode)}; it must be ${injectionModes.join(", ")}`,
            suggestName(String(mode), injectionModes).trimStart() || undefined,
          ),
        ]),
    ...findKnownTargetErrors(knownTargets, siteAt(site, "knownTargets")),
  ];
};

const findKnownTargetErrors = (given: unknown, site: ProblemSite): readonly PolicyProblem[] => {
  if (given === undefined) return [];
  if (!isObject(given))
    return [invalidPolicyProblem(site, "must contain lists by argument", 'Write { to: ["*@example.com"] }.')];
  return Object.entries(given).flatMap(([argument, entries]) => {
    const here = siteAt(site, argument);
    if (!Array.isArray(entries) || !entries.every((entry) => typeof entry === "string" && entry !== ""))
      return [invalidPolicyProblem(here, "must be a list of non-empty strings")];
    return entries.flatMap((entry: string, index) =>
      /[^*\s]/.test(entry)
        ? []
        : [
            invalidPolicyProblem(
              siteAt(here, index),
              "covers every target",
              "Name the targets, such as *@example.com.",
            ),
          ],
    );
  });
};

const flags = [
  "blockHighRiskWithoutApproval",
  "approveTaintedSinks",
  "approveTaintedAddresses",
  "requireAuthorizationForAll",
  "strict",
] as const satisfies readonly (keyof PolicyOptions)[];

/** JSON configuration may contain the string "false". */
const flagErrors = (value: unknown, site: ProblemSite): readonly PolicyProblem[] =>
  value === undefined || typeof value === "boolean"
    ? []
    : [
        invalidPolicyProblem(
          site,
          `is ${JSON.stringify(value)}; it must be true or false`,
          "Write it without quotation marks.",
        ),
      ];

/** Lists every problem. */
export const refusePolicyErrors = (problems: readonly PolicyProblem[]): void => {
  if (problems.length === 0) return;
  throw new ConfigurationError("invalid_config", problems.map(problemText).join(" "), {
    issues: problems.map((each) => ({ pointer: each.place, message: problemText(each) })),
  });
};

const findToolkitErrors = (patterns: unknown, site: ProblemSite): readonly PolicyProblem[] => {
  if (!Array.isArray(patterns))
    return [invalidPolicyProblem(site, "must be a list of patterns", 'Write ["ns/*"].')];
  return patterns.flatMap((pattern, index) => findPatternErrors(pattern, siteAt(site, index)));
};

const findDuplicateIds = (rules: readonly unknown[], site: ProblemSite): readonly PolicyProblem[] => {
  const seen = new Set<unknown>();
  return rules.flatMap((rule, index) => {
    const id = isObject(rule) ? (rule.id ?? `rules[${index}]`) : undefined;
    if (typeof id !== "string" || !seen.has(id)) {
      seen.add(id);
      return [];
    }
    const here = { ...siteAt(site, "rules", index, "id"), ruleId: id };
    return [
      invalidPolicyProblem(here, `is "${id}", which another rule has`, "Give each rule a distinct id."),
    ];
  });
};

const findRightErrors = (
  { rights, toolkits = {} }: PolicyOptions,
  names: readonly string[],
  site: ProblemSite,
): readonly PolicyProblem[] => {
  if (rights === undefined) return [];
  try {
    // Invalid patterns were already reported.
    compileTables(
      rights,
      new Map(names.map((name): [string, Matcher] => [name, compileIfReadable(toolkits[name])])),
    );
    return [];
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return [{ ...invalidPolicyProblem(siteAt(site, "rights"), ""), message: why }];
  }
};

const compileIfReadable = (patterns: readonly string[] | undefined): Matcher => {
  try {
    return compilePatterns(patterns ?? []);
  } catch {
    return () => false;
  }
};
