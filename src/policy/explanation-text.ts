import type { Principal } from "../types/principal.ts";
import type { Registration } from "../types/tool.ts";
import type { Decision } from "./decide-case.ts";
import { delegationChainOf } from "./delegation-chain.ts";
import type { PolicyExplanation } from "./explanation.ts";

const effectPhrases: Record<Decision["effect"], string> = {
  allow: "may call",
  approve: "may call after approval,",
  deny: "may not call",
};

/** Names rules and rights, so it must not reach a model. */
export const explainDecision = (
  decided: Decision,
  principal: Principal | undefined,
  registration: Registration,
): string =>
  [
    ...describeDecision(decided, principal, registration),
    `rules: ${decided.ruleIds.length === 0 ? "none decided" : decided.ruleIds.join(", ")}`,
  ].join("\n");

export const toExplanationText = (
  explanation: Omit<PolicyExplanation, "text">,
  principal: Principal | undefined,
  registration: Registration,
): string => {
  const { links, rules, ruleIds } = explanation;
  return [
    ...describeDecision(explanation, principal, registration),
    ...links.flatMap(({ agent, effect, reason, rights }, index) => [
      `${index === 0 ? "own right" : "within"}, "${agent}": ${effect}, ${reason}`,
      ...rights.map(({ who, refusal }) => `  right of ${who}: ${refusal ?? "covers it"}`),
    ]),
    ...(rules.length === 0 ? ["rules: there are none"] : []),
    ...rules.map(
      (rule) =>
        `rule ${rule.id} (${rule.effect}): ${describeRuleFit(rule)}${ruleIds.includes(rule.id) ? ", decided" : ""}`,
    ),
  ].join("\n");
};

const describeRuleFit = ({
  concerns,
  covers,
  met,
  conditions,
}: PolicyExplanation["rules"][number]): string => {
  if (!concerns) return "is not about this caller";
  if (!covers) return "does not cover this tool";
  const those = (is: boolean | undefined): string =>
    conditions
      .filter((each) => each.met === is)
      .map(({ field, words }) => `${field} (${words})`)
      .join(" and ");
  if (met === undefined) return `fits, if its conditions are met: ${those(undefined)}`;
  return met ? "fits" : `fits, but ${those(false)} is not met`;
};

const describeDecision = (
  { effect, reason }: Decision,
  principal: Principal | undefined,
  { key, origin, tool: { spec } }: Registration,
): readonly string[] => {
  const traits = [
    `risk ${spec.risk}`,
    `source ${spec.source}`,
    ...(spec.tags.length > 0 ? [`tags ${spec.tags.join(" ")}`] : []),
    ...(spec.requiresApproval ? ["requires approval"] : []),
    ...(spec.noSchemaMode === undefined ? [] : [`no schema (${spec.noSchemaMode})`]),
  ];
  return [
    `${principal === undefined ? missingPrincipalText(key) : `"${principal.agent}" ${effectPhrases[effect]} ${key}`}: ${reason}.`,
    `caller: ${principal === undefined ? "none" : describePrincipal(principal)}`,
    ...delegatorsOf(principal).map((lender) => `within "${lender.agent}": ${describePrincipal(lender)}`),
    `tool: ${key} (${origin}), ${traits.join(", ")}`,
  ];
};

const delegatorsOf = (principal: Principal | undefined): readonly Principal[] => {
  const chain = principal === undefined ? [] : delegationChainOf(principal);
  return typeof chain === "string" ? [] : chain.slice(1);
};

const missingPrincipalText = (key: string): string => `Calls of ${key} require a principal`;

const describePrincipal = ({ user, tenant, roles, allow, toolkits, deny }: Principal): string =>
  [
    ...(user === undefined ? [] : [`user ${user}`]),
    ...(tenant === undefined ? [] : [`tenant ${tenant}`]),
    ...(roles?.length ? [`roles ${roles.join(" ")}`] : []),
    `allow ${listPatterns(allow)}`,
    `toolkits ${listPatterns(toolkits)}`,
    `deny ${listPatterns(deny)}`,
  ].join(", ");

const listPatterns = (patterns: readonly string[] | undefined): string =>
  patterns === undefined || patterns.length === 0 ? "nothing" : patterns.join(" ");
