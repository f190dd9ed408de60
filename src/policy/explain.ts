import type { Registration } from "../types/tool.ts";
import { type AccessProfile, decideAccess, decideBestAccess } from "./access-profile.ts";
import { type CompiledPolicy, compilePolicy } from "./compile-policy.ts";
import type { CompiledRule } from "./compile-rule.ts";
import { type Decision, makeDecision } from "./decide-case.ts";
import { delegationChainOf, strictestDecision } from "./delegation-chain.ts";
import { describeCondition } from "./describe-condition.ts";
import type {
  CallerExplanation,
  ExplainRequest,
  PolicyExplanation,
  RightExplanation,
  RuleExplanation,
} from "./explanation.ts";
import { toExplanationText } from "./explanation-text.ts";
import type { PolicyOptions } from "./options.ts";
import { accessProfileOf, isExemptFromRights, type PolicyCaller, toPolicyCaller } from "./policy-caller.ts";
import type { PolicyRequest } from "./policy-request.ts";
import { explainRefusal } from "./right.ts";

export { explainDecision } from "./explanation-text.ts";

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

const tryCondition = (holds: () => boolean): boolean | undefined => {
  try {
    return holds();
  } catch {
    return undefined;
  }
};
