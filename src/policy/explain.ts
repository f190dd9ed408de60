import type { Registration } from "../words/tool.ts";
import { chainOf, strictest } from "./chain.ts";
import { type CompiledPolicy, compilePolicy } from "./compile-policy.ts";
import type { CompiledRule } from "./compile-rule.ts";
import { conditionWords } from "./condition-words.ts";
import type {
  ExplainRequest,
  LinkExplanation,
  PolicyExplanation,
  RightExplanation,
  RuleExplanation,
} from "./explanation.ts";
import { explanationText } from "./explanation-text.ts";
import { type Decision, decision } from "./judge.ts";
import { isFree, type PolicyCaller, stand, toLink } from "./link.ts";
import type { PolicyOptions } from "./options.ts";
import type { PolicyRequest } from "./request.ts";
import { refuseBy } from "./right.ts";
import { type CallerStanding, decideStanding, hopeStanding } from "./standing.ts";

export { explainDecision } from "./explanation-text.ts";

/** How a policy comes to its decision. It names rules and rights, so it is not for models. */
export const explainPolicy = (options: PolicyOptions, request: ExplainRequest): PolicyExplanation =>
  explainCompiled(compilePolicy(options), request);

export const explainCompiled = (policy: CompiledPolicy, asked: ExplainRequest): PolicyExplanation => {
  const { principal, registration } = asked;
  const request: PolicyRequest = { ...asked, input: asked.input, validated: asked.validated !== false };
  const known = {
    input: asked.input !== undefined && request.validated,
    moment: asked.input !== undefined || asked.tally !== undefined || asked.repaired !== undefined,
  };
  const decide = (standing: CallerStanding): Decision => {
    if (asked.input !== undefined) return decideStanding(standing, request);
    return known.moment ? hopeStanding(standing, request) : standing.visible;
  };
  const chain =
    principal === undefined ? "nobody is calling, and nobody may use anything" : chainOf(principal);
  const links = typeof chain === "string" ? [] : chain.map((each) => toLink(policy, each));
  const decisions = links.map((link) =>
    tellLink(policy, link, registration, decide(stand(policy, link, registration))),
  );
  const decided = typeof chain === "string" ? decision("deny", chain) : strictest(decisions);
  const explanation = {
    effect: decided.effect,
    reason: decided.reason,
    ruleIds: decided.ruleIds,
    tool: registration.key,
    links: decisions,
    rules: policy.rules.map((rule) => tellRule(rule, links, request, known)),
  };
  return Object.freeze({ ...explanation, text: explanationText(explanation, principal, registration) });
};

const tellLink = (
  policy: CompiledPolicy,
  link: PolicyCaller,
  registration: Registration,
  { effect, reason, ruleIds }: Decision,
): LinkExplanation => {
  const { agent, user, tenant } = link.principal;
  const rules = link.rules.filter((rule) => rule.covers(registration)).map(({ id }) => id);
  const rights = tellRights(link, registration.key, isFree(policy, registration));
  return { effect, reason, ruleIds, agent, user, tenant, rights, rules };
};

const tellRights = (
  { broken, principal, rights }: PolicyCaller,
  key: string,
  free: boolean,
): readonly RightExplanation[] =>
  broken === undefined
    ? rights.map((right) => ({ who: right.who, refusal: refuseBy(right, key, free) }))
    : [{ who: `"${principal.agent}"`, refusal: broken }];

const tellRule = (
  rule: CompiledRule,
  links: readonly PolicyCaller[],
  request: PolicyRequest,
  known: { readonly input: boolean; readonly moment: boolean },
): RuleExplanation => {
  const { id, effect, conditions } = rule;
  const answers = conditions.map(({ field, given, holds }) => ({
    field,
    words: conditionWords(field, given),
    met: (field === "when" ? known.input : known.moment) ? ask(() => holds(request)) : undefined,
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

const ask = (holds: () => boolean): boolean | undefined => {
  try {
    return holds();
  } catch {
    return undefined;
  }
};
