import type { Principal } from "../words/principal.ts";
import type { Registration } from "../words/tool.ts";
import type { Decision } from "./judge.ts";

const verbs: Record<Decision["effect"], string> = {
  allow: "may call",
  approve: "may call, once a person approves,",
  deny: "may not call",
};

/** A decision in sentences for an operator. It names rules and rights, so it is not for models. */
export const explainDecision = (
  decision: Decision,
  principal: Principal | undefined,
  { key, origin, tool: { spec } }: Registration,
): string => {
  const traits = [
    `risk ${spec.risk}`,
    `source ${spec.source}`,
    ...(spec.tags.length > 0 ? [`tags ${spec.tags.join(" ")}`] : []),
    ...(spec.requiresApproval ? ["requires approval"] : []),
    ...(spec.noSchemaMode === undefined ? [] : [`no schema (${spec.noSchemaMode})`]),
  ];
  return [
    `${principal === undefined ? nobody(key) : `"${principal.agent}" ${verbs[decision.effect]} ${key}`}: ${decision.reason}.`,
    `caller: ${principal === undefined ? "none" : describe(principal)}`,
    `tool: ${key} (${origin}), ${traits.join(", ")}`,
    `rules: ${decision.ruleIds.length === 0 ? "none decided" : decision.ruleIds.join(", ")}`,
  ].join("\n");
};

const nobody = (key: string): string => `Nobody may call ${key} without a principal`;

const describe = ({ user, tenant, roles, allow, toolkits, deny }: Principal): string =>
  [
    ...(user === undefined ? [] : [`user ${user}`]),
    ...(tenant === undefined ? [] : [`tenant ${tenant}`]),
    ...(roles?.length ? [`roles ${roles.join(" ")}`] : []),
    `allow ${list(allow)}`,
    `toolkits ${list(toolkits)}`,
    `deny ${list(deny)}`,
  ].join(", ");

const list = (patterns: readonly string[] | undefined): string =>
  patterns === undefined || patterns.length === 0 ? "nothing" : patterns.join(" ");
