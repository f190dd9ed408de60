import { isObject } from "../base/json/json-value.ts";
import type { Registration } from "../types/tool.ts";
import { type AccessProfile, decideAccess, decideBestAccess } from "./access-profile.ts";
import { type CompiledPolicy, compilePolicy } from "./compile-policy.ts";
import { foldersOf, type PathCondition, pathArgumentOf, type RuleConditions } from "./conditions.ts";
import { type Decision, makeDecision } from "./decide-case.ts";
import { delegationChainOf, strictestDecision } from "./delegation-chain.ts";
import type { PolicyRequest } from "./engine.ts";
import {
  type CallerExplanation,
  type ExplainRequest,
  type PolicyExplanation,
  type RightExplanation,
  type RuleExplanation,
  toExplanationText,
} from "./explanation.ts";
import type { PolicyOptions } from "./options.ts";
import { accessProfileOf, isExemptFromRights, type PolicyCaller, toPolicyCaller } from "./policy-caller.ts";
import { explainRefusal } from "./right.ts";
import type { CompiledRule } from "./rule.ts";

/** Names rules and rights, so it must not reach a model. */
export const explainPolicy = (options: PolicyOptions, request: ExplainRequest): PolicyExplanation =>
  explainCompiledPolicy(compilePolicy(options), request);

export const explainCompiledPolicy = (policy: CompiledPolicy, asked: ExplainRequest): PolicyExplanation => {
  const { principal, registration } = asked;
  const request: PolicyRequest = { ...asked, input: asked.input, validated: asked.validated !== false };
  const known = {
    input: asked.input !== undefined && request.validated,
    moment: asked.input !== undefined || asked.tally !== undefined || asked.repaired !== undefined,
  };
  const decide = (standing: AccessProfile): Decision => {
    if (asked.input !== undefined) return decideAccess(standing, request);
    return known.moment ? decideBestAccess(standing, request) : standing.visible;
  };
  const chain =
    principal === undefined
      ? "the call has no principal, and no tool may be used without one"
      : delegationChainOf(principal);
  const links = typeof chain === "string" ? [] : chain.map((each) => toPolicyCaller(policy, each));
  const decisions = links.map((link) =>
    explainCaller(policy, link, registration, decide(accessProfileOf(policy, link, registration))),
  );
  const decided = typeof chain === "string" ? makeDecision("deny", chain) : strictestDecision(decisions);
  const explanation = {
    effect: decided.effect,
    reason: decided.reason,
    ruleIds: decided.ruleIds,
    tool: registration.key,
    links: decisions,
    rules: policy.rules.map((rule) => explainRule(rule, links, request, known)),
  };
  return Object.freeze({ ...explanation, text: toExplanationText(explanation, principal, registration) });
};

const explainCaller = (
  policy: CompiledPolicy,
  link: PolicyCaller,
  registration: Registration,
  { effect, reason, ruleIds }: Decision,
): CallerExplanation => {
  const { agent, user, tenant } = link.principal;
  const rules = link.rules.filter((rule) => rule.covers(registration)).map(({ id }) => id);
  const rights = explainRights(link, registration.key, isExemptFromRights(policy, registration));
  return { effect, reason, ruleIds, agent, user, tenant, rights, rules };
};

const explainRights = (
  { broken, principal, rights }: PolicyCaller,
  key: string,
  free: boolean,
): readonly RightExplanation[] =>
  broken === undefined
    ? rights.map((right) => ({ who: right.who, refusal: explainRefusal(right, key, free) }))
    : [{ who: `"${principal.agent}"`, refusal: broken }];

const explainRule = (
  rule: CompiledRule,
  links: readonly PolicyCaller[],
  request: PolicyRequest,
  known: { readonly input: boolean; readonly moment: boolean },
): RuleExplanation => {
  const { id, effect, conditions } = rule;
  const answers = conditions.map(({ field, given, holds, readsInput }) => ({
    field,
    words: describeCondition(field, given),
    met: (readsInput ? known.input : known.moment) ? tryCondition(() => holds(request)) : undefined,
  }));
  const unmet = answers.filter(({ met }) => met === false).map(({ field }) => field);
  const isOpen = answers.some(({ met }) => met === undefined);
  return {
    id,
    effect,
    concerns: links.some(({ principal }) => rule.concerns(principal)),
    covers: rule.covers(request.registration),
    met: unmet.length > 0 ? false : isOpen ? undefined : true,
    unmet,
    conditions: answers,
  };
};

type ConditionText<Field extends keyof RuleConditions> = (
  given: NonNullable<RuleConditions[Field]>,
) => string;

const conditionTexts: { readonly [Field in keyof RuleConditions]-?: ConditionText<Field> } = {
  tainted: (given) => `the conversation has ${given ? "" : "no "}untrusted content`,
  repaired: (given) => `the arguments were ${given ? "" : "not "}repaired`,
  spent: (given) => describeSpent(given),
  path: (given) => describePath(given),
  from: (given) => describeFrom(given),
  when: (given) => describeSchema("input", given).join(" and ") || "any arguments",
};

/** Such as `input.amount ≥ 1000`. */
export const describeCondition = (field: keyof RuleConditions, given: unknown): string =>
  (conditionTexts[field] as (given: unknown) => string)(given);

const describePath = (given: PathCondition): string => {
  const subject = `input.${pathArgumentOf(given)}`;
  const { within, outside } = given;
  return [
    ...(within === undefined ? [] : [`${subject} is in ${foldersOf(within).join(" or ")}`]),
    ...(outside === undefined ? [] : [`${subject} is not in ${foldersOf(outside).join(" or ")}`]),
  ].join(" and ");
};

const describeFrom = (from: NonNullable<RuleConditions["from"]>): string =>
  Object.entries(from)
    .map(([argument, sources]) => `input.${argument} comes from ${sources.join(" or ")}`)
    .join(" and ");

const describeSpent = ({ calls, cost }: NonNullable<RuleConditions["spent"]>): string =>
  [
    ...(calls === undefined ? [] : [`the run has made at least ${calls} calls`]),
    ...(cost === undefined ? [] : [`the run has cost at least ${cost}`]),
  ].join(" and ");

const comparisonSigns: Readonly<Record<string, string>> = {
  minimum: "≥",
  exclusiveMinimum: ">",
  maximum: "≤",
  exclusiveMaximum: "<",
  const: "is",
  pattern: "fits",
};

const describeSchema = (path: string, schema: unknown): readonly string[] => {
  if (!isObject(schema)) return [`${path} fits ${JSON.stringify(schema)}`];
  const { properties, required, type, ...rest } = schema as Readonly<Record<string, unknown>>;
  const parts = isObject(properties)
    ? Object.entries(properties).map(([name, of]) => [name, describeSchema(`${path}.${name}`, of)] as const)
    : [];
  const described = new Set(parts.filter(([, words]) => words.length > 0).map(([name]) => name));
  const needed = Array.isArray(required) ? required.filter((name) => !described.has(String(name))) : [];
  return [
    // Arguments are always an object.
    ...(type === undefined || path === "input" ? [] : [`${path} is of type ${[type].flat().join(" or ")}`]),
    ...needed.map((name) => `${path}.${name} is given`),
    ...parts.flatMap(([name, words]) =>
      words.map((word) =>
        isListed(required, name) || word.endsWith(ifGivenSuffix) ? word : `${word}${ifGivenSuffix}`,
      ),
    ),
    ...Object.entries(rest).map(([keyword, value]) => describeKeyword(path, keyword, value)),
  ];
};

/** JSON Schema accepts a missing member. */
const ifGivenSuffix = " (or not given)";

const isListed = (required: unknown, name: string): boolean =>
  Array.isArray(required) && required.includes(name);

const describeKeyword = (path: string, keyword: string, value: unknown): string => {
  if (keyword === "enum" && Array.isArray(value))
    return `${path} is one of ${value.map((each) => JSON.stringify(each)).join(", ")}`;
  const word = Object.hasOwn(comparisonSigns, keyword) ? comparisonSigns[keyword] : undefined;
  const text = JSON.stringify(value);
  return word === undefined ? `${path} fits {"${keyword}":${text}}` : `${path} ${word} ${text}`;
};

const tryCondition = (holds: () => boolean): boolean | undefined => {
  try {
    return holds();
  } catch {
    return undefined;
  }
};
