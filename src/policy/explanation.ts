import type { Principal } from "../types/principal.ts";
import type { Registration } from "../types/tool.ts";
import type { Decision } from "./decide-case.ts";
import { delegationChainOf } from "./delegation-chain.ts";
import type { PolicyRequest } from "./engine.ts";

/**
 * Without `input`, explains the best decision for any arguments; without `tally` and `repaired` too, the
 * visibility.
 */
export interface ExplainRequest extends Omit<PolicyRequest, "input" | "validated"> {
  readonly input?: unknown;
  /** Unless set: true. */
  readonly validated?: boolean;
}

export interface PolicyExplanation extends Decision {
  readonly tool: string;
  /** The caller, then its delegators. Empty without a principal or if the chain is invalid. */
  readonly links: readonly CallerExplanation[];
  readonly rules: readonly RuleExplanation[];
  readonly text: string;
}

export interface CallerExplanation extends Decision {
  readonly agent: string;
  readonly user: string | undefined;
  readonly tenant: string | undefined;
  /** Only one entry if the rights are invalid or a table does not contain the caller. */
  readonly rights: readonly RightExplanation[];
  /** Independent of their conditions. */
  readonly rules: readonly string[];
}

export interface RightExplanation {
  /** `"ada"`, `user "u1"`. */
  readonly who: string;
  /** Undefined if the right covers the tool. */
  readonly refusal: string | undefined;
}

export interface RuleExplanation {
  readonly id: string;
  readonly effect: Decision["effect"];
  /** It matches the caller or one of its delegators. */
  readonly concerns: boolean;
  readonly covers: boolean;
  /** Undefined if unknown. */
  readonly met: boolean | undefined;
  /** Fields whose conditions do not hold. */
  readonly unmet: readonly string[];
  readonly conditions: readonly ConditionExplanation[];
}

export interface ConditionExplanation {
  /** Such as `when`. */
  readonly field: string;
  /** Such as `input.amount ≥ 1000`. */
  readonly words: string;
  /** Undefined if unknown. */
  readonly met: boolean | undefined;
}

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
