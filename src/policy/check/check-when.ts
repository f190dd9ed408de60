import { freezeJson, isObject, type JsonObject } from "../../base/json/json-value.ts";
import { subschemasOf } from "../../base/schema/find-unknown-keywords.ts";
import { formatNames } from "../../base/schema/format-checks.ts";
import { areDisjoint, isCompatible } from "../../base/schema/is-compatible.ts";
import { typeName } from "../../base/schema/issues.ts";
import { nearest } from "../../base/text/nearest.ts";
import type { PolicyProblem } from "../../types/policy-problem.ts";
import type { Registration } from "../../types/tool.ts";
import { memberNames, toStandaloneSchema } from "./argument-schema.ts";
import { compareSamples } from "./compare-samples.ts";
import { createProblem, type ProblemSite, siteAt, suggestionText } from "./policy-problems.ts";
import {
  distinctInputs,
  findToolArguments,
  itemsOf,
  type ToolArgument,
  toolsWithArgument,
} from "./tool-arguments.ts";

/** Above this, no proof is attempted. */
const maxSchemas = 64;

/**
 * Reports unknown arguments, values that every schema excludes, and conditions that always hold, if that is
 * proven.
 */
export const checkWhen = (
  given: JsonObject,
  tools: readonly Registration[],
  site: ProblemSite,
): readonly PolicyProblem[] => {
  const inputs = distinctInputs(tools);
  if (inputs.length === 0) return [];
  // The prover caches frozen schemas.
  const when = freezeJson(structuredClone(given)) as JsonObject;
  const findings: Findings = { problems: [], mayFail: false };
  checkConditionNode(when, inputs, { site, path: "", isCertain: true, isRoot: true }, findings);
  if (findings.problems.length > 0) return findings.problems;
  const isProvable =
    inputs.length <= maxSchemas && inputs.every(({ isValidated }) => isValidated) && !usesFormats(when);
  return isProvable ? checkWholeCondition(when, inputs, site, findings.mayFail) : [];
};

/** A misspelled format asserts nothing and would match every text. */
export const findUnknownFormats = (when: unknown, site: ProblemSite): readonly PolicyProblem[] => {
  if (!isObject(when)) return [];
  const { format } = when;
  const inner = Object.entries(when).flatMap(([keyword, value]) =>
    subschemasOf(keyword, value).flatMap(([steps, each]) => findUnknownFormats(each, siteAt(site, ...steps))),
  );
  if (typeof format !== "string" || formatNames.includes(format)) return inner;
  const why = `is ${JSON.stringify(format)}, which is not a format that is checked, so it would be ignored`;
  const suggestion = suggestionText(nearest(format, formatNames)) ?? 'Use "pattern", or remove it.';
  return [createProblem(siteAt(site, "format"), "unknown_format", why, { suggestion }), ...inner];
};

interface Findings {
  readonly problems: PolicyProblem[];
  /** A sample value fits a tool's schema and not the condition. */
  mayFail: boolean;
}

interface Position {
  readonly site: ProblemSite;
  /** Such as `order.lines[].price`. */
  readonly path: string;
  /** Not inside `not` or a choice. */
  readonly isCertain: boolean;
  readonly isRoot: boolean;
}

const sameValueKeywords = new Set([
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
]);
const itemKeywords = new Set(["items", "prefixItems", "contains", "additionalItems", "unevaluatedItems"]);

const checkConditionNode = (
  condition: unknown,
  tools: readonly ToolArgument[],
  position: Position,
  findings: Findings,
): void => {
  if (!isObject(condition) || tools.length === 0) return;
  const { problems } = findings;
  const before = problems.length;
  const names = argumentNamesIn(condition);
  if (names.size > 0) {
    const { isOpen } = findToolArguments(tools);
    for (const [name, steps] of names) {
      const holders = toolsWithArgument(tools, name);
      const site = siteAt(position.site, ...steps);
      const here = { site, path: joinPath(position.path, name), isRoot: false };
      if (holders.length === 0) {
        if (!isOpen) problems.push(unknownPropertyProblem(name, here, tools));
        continue;
      }
      const inner = isObject(condition.properties) ? condition.properties[name] : undefined;
      checkConditionNode(inner, holders, { ...here, isCertain: position.isCertain && !isOpen }, findings);
    }
  }
  for (const [keyword, value] of Object.entries(condition)) {
    if (keyword === "properties") continue;
    for (const [steps, inner] of subschemasOf(keyword, value)) {
      const site = siteAt(position.site, ...steps);
      if (sameValueKeywords.has(keyword)) {
        checkConditionNode(
          inner,
          tools,
          { ...position, site, isCertain: position.isCertain && keyword === "allOf" },
          findings,
        );
      } else if (itemKeywords.has(keyword)) {
        const items = itemsOf(tools);
        if (items === undefined) continue;
        checkConditionNode(
          inner,
          items,
          { site, path: `${position.path}[]`, isCertain: false, isRoot: false },
          findings,
        );
      }
    }
  }
  if (position.isRoot || !position.isCertain || problems.length > before) return;
  const problem = findExclusion(condition, tools, position, findings);
  if (problem !== undefined) problems.push(problem);
};

const argumentNamesIn = (condition: JsonObject): ReadonlyMap<string, readonly (string | number)[]> => {
  const names = new Map<string, readonly (string | number)[]>();
  const { properties, required, dependentRequired, dependentSchemas } = condition;
  if (isObject(properties)) for (const name of Object.keys(properties)) names.set(name, ["properties", name]);
  const addList = (given: unknown, ...steps: readonly string[]): void => {
    if (!Array.isArray(given)) return;
    for (const [index, name] of given.entries())
      if (typeof name === "string" && !names.has(name)) names.set(name, [...steps, index]);
  };
  addList(required, "required");
  for (const [keyword, given] of Object.entries({ dependentRequired, dependentSchemas })) {
    for (const [name, needed] of Object.entries(isObject(given) ? given : {})) {
      if (!names.has(name)) names.set(name, [keyword, name]);
      addList(needed, keyword, name);
    }
  }
  return names;
};

const joinPath = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

const unknownPropertyProblem = (
  name: string,
  { site, path }: Pick<Position, "site" | "path">,
  tools: readonly ToolArgument[],
): PolicyProblem => {
  const names = [...new Set(tools.flatMap(({ schemas }) => schemas.flatMap(memberNames)))];
  const inside = path.slice(0, Math.max(0, path.length - name.length - 1));
  const why = `concerns "${path}", which ${listTools(tools)} not have${inside === "" ? "" : ` in "${inside}"`}`;
  const shown = `There ${names.length === 1 ? "is" : "are"} ${names.slice(0, 10).join(", ")}.`;
  return createProblem(site, "unknown_property", why, {
    suggestion: suggestionText(nearest(name, names)) ?? shown,
  });
};

const listTools = (tools: readonly { readonly tool: string }[]): string => {
  const [first, ...more] = tools;
  if (more.length === 0) return `${first!.tool} does`;
  const shown = tools.slice(0, 3).map(({ tool }) => tool);
  return `${shown.join(", ")}${tools.length > 3 ? ` and ${tools.length - 3} more` : ""} do`;
};

const findExclusion = (
  condition: JsonObject,
  tools: readonly ToolArgument[],
  { site, path }: Position,
  findings: Findings,
): PolicyProblem | undefined => {
  if (usesFormats(condition)) return undefined;
  const text = JSON.stringify(condition);
  const known = findToolArguments(tools).exclusions;
  const isExcluded = known.get(text) ?? isExcludedByAll(condition, tools, findings);
  known.set(text, isExcluded);
  if (!isExcluded) return undefined;
  const [{ tool, schemas }] = tools as readonly [ToolArgument];
  const [declared] = schemas.filter(({ isCertain }) => isCertain);
  const node = isObject(declared?.node) ? declared.node : {};
  return createProblem(site, "never_holds", `is never met: "${path}" of ${tool} is ${describeNode(node)}`, {
    suggestion: suggestCorrection(condition, node),
  });
};

/** False if a schema allows the value, proves nothing, or if there are too many schemas. */
const isExcludedByAll = (
  condition: JsonObject,
  tools: readonly ToolArgument[],
  findings: Findings,
): boolean => {
  const compared = new Set<string>();
  for (const { schemas, isValidated } of tools) {
    const certain = schemas.filter(({ isCertain }) => isCertain);
    if (!isValidated || certain.length === 0 || compared.size >= maxSchemas) return false;
    const text = JSON.stringify(certain.map(({ node }) => node));
    if (compared.has(text)) continue;
    // An equal `$ref` may mean something else in another schema.
    if (!text.includes('"$ref"')) compared.add(text);
    const [only, ...others] = certain;
    const isAlone = others.length === 0 && isObject(only?.node);
    const samples = isAlone ? compareSamples(only.node as JsonObject, condition) : undefined;
    findings.mayFail ||= samples?.differs === true;
    if (samples?.overlaps === true) return false;
    if (!certain.some((each) => areDisjoint(toStandaloneSchema(each), condition))) return false;
  }
  return true;
};

const describedKeywords = [
  "type",
  "enum",
  "const",
  "minimum",
  "exclusiveMinimum",
  "maximum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
];

const describeNode = (node: JsonObject): string => {
  const described = Object.fromEntries(
    describedKeywords.flatMap((name) => (name in node ? [[name, node[name]]] : [])),
  );
  const text = JSON.stringify(described);
  return text === "{}" ? "described otherwise" : text.length > 200 ? `${text.slice(0, 200)}…` : text;
};

const suggestCorrection = (condition: JsonObject, node: JsonObject): string => {
  const values = node.const === undefined ? node.enum : [node.const];
  const wanted = condition.const === undefined ? condition.enum : [condition.const];
  if (Array.isArray(values)) {
    const texts = values.filter((value): value is string => typeof value === "string");
    const [first] = Array.isArray(wanted) ? wanted : [];
    const meant = typeof first === "string" ? nearest(first, texts) : undefined;
    return (
      suggestionText(meant) ??
      `Use one of ${values
        .slice(0, 10)
        .map((value) => JSON.stringify(value))
        .join(", ")}.`
    );
  }
  if (node.type !== undefined && !isSameType(condition, node)) {
    return `Compare it with a value of type ${[node.type].flat().join(" or ")}.`;
  }
  const upper = node.maximum ?? node.exclusiveMaximum;
  const lower = node.minimum ?? node.exclusiveMinimum;
  const bounds = [
    ...(lower === undefined ? [] : [`from ${lower}`]),
    ...(upper === undefined ? [] : [`up to ${upper}`]),
  ];
  return bounds.length > 0
    ? `Use a value ${bounds.join(" ")}.`
    : "Change the condition, or the tool's schema.";
};

const isSameType = (condition: JsonObject, { type }: JsonObject): boolean => {
  const types = [type].flat();
  const [value] =
    condition.const !== undefined ? [condition.const] : Array.isArray(condition.enum) ? condition.enum : [];
  if (condition.type !== undefined) return [condition.type].flat().some((each) => types.includes(each));
  return (
    value === undefined ||
    types.includes(typeName(value)) ||
    (types.includes("integer") && Number.isInteger(value))
  );
};

const checkWholeCondition = (
  when: JsonObject,
  inputs: readonly ToolArgument[],
  site: ProblemSite,
  mayFail: boolean,
): readonly PolicyProblem[] => {
  const filled = { defaults: "filled" } as const;
  const roots = inputs.map(({ schemas }) => schemas[0]!.root);
  if (
    !(isPlainSchema(when) && roots.some(isPlainInput)) &&
    roots.every((root) => areDisjoint(root, when, filled))
  ) {
    const why = `is never met for ${listNames(inputs)}: their schemas exclude it`;
    return [
      createProblem(site, "never_holds", why, { suggestion: "Change the condition, or remove the rule." }),
    ];
  }
  if (!mayFail && roots.every((root) => isCompatible(root, when, filled).ok)) {
    const why = `is always met for ${listNames(inputs)}: their schemas allow nothing else`;
    return [createProblem(site, "always_holds", why, { suggestion: "Remove the condition, or narrow it." })];
  }
  return [];
};

const plainKeywords = new Set(["type", "properties", "required", "title", "description"]);

/** Exclusions were already found per argument. */
const isPlainSchema = (schema: JsonObject): boolean =>
  Object.keys(schema).every((keyword) => plainKeywords.has(keyword)) &&
  (schema.type === undefined || schema.type === "object") &&
  Object.values(schema.properties ?? {}).every(isObject);

const isPlainInput = ({ additionalProperties: _, ...rest }: JsonObject): boolean => isPlainSchema(rest);

const listNames = (inputs: readonly ToolArgument[]): string => {
  const shown = inputs.slice(0, 3).map(({ tool }) => tool);
  return `${shown.join(", ")}${inputs.length > 3 ? ` and ${inputs.length - 3} more` : ""}`;
};

/** The prover ignores formats. */
const usesFormats = (condition: unknown): boolean =>
  isObject(condition) &&
  ("format" in condition ||
    Object.entries(condition).some(([keyword, value]) =>
      subschemasOf(keyword, value).some(([, inner]) => usesFormats(inner)),
    ));
