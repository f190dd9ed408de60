import type { PolicyEngine } from "../../../policy/engine.ts";
import type { PolicyExplanation, RuleExplanation } from "../../../policy/explanation.ts";
import { explainCall } from "../../../runtime/explain-call.ts";
import type { Principal } from "../../../types/principal.ts";
import type { Registration } from "../../../types/tool.ts";
import type { ApiContext } from "../api-context.ts";
import { invalidRequestError } from "../api-error.ts";
import { definedFields, readChoice, readCount, readText } from "../read-query.ts";
import type {
  ExplainBody,
  ExplainedRule,
  Permission,
  PermissionExplanation,
  PermissionFactor,
  Permissions,
} from "../schemas/permissions.ts";
import { findTool } from "../tools/list-tools.ts";
import { principalNamed, principalsOf } from "./principals.ts";

const maxPrincipalsShown = 50;

/** If a decision depends on arguments, the cell has the most permissive effect. */
export const showPermissions = async ({ studio, person, query }: ApiContext): Promise<Permissions> => {
  const limit = readCount(query, "limit", 200, 1_000);
  const search = readText(query, "tool")?.toLowerCase();
  const { registry, policy } = studio.shared;
  const all = registry.list().filter(({ key }) => search === undefined || key.toLowerCase().includes(search));
  const tools = all.slice(0, limit);
  const principals = await principalsOf(studio, person);
  const shown = principals.slice(0, maxPrincipalsShown);
  return {
    principals: shown.map(({ principal: _, ...named }) => named),
    tools: tools.map(({ key }) => key),
    hasMore: all.length > limit || principals.length > maxPrincipalsShown,
    cells: shown.map(({ principal }) =>
      tools.map((registration): Permission => {
        const { effect, reason, ruleIds } = policy.visible(principal, registration);
        const dependsOn = effect === "deny" ? [] : permissionFactorsOf(policy, principal, registration);
        return { effect, reason, ruleIds, dependsOn };
      }),
    ),
  };
};

const permissionFactorsOf = (
  policy: PolicyEngine,
  principal: Principal,
  registration: Registration,
): readonly PermissionFactor[] => {
  try {
    return policy.depends?.(principal, registration) ?? ["unknown"];
  } catch {
    return ["unknown"];
  }
};

interface PermissionQuery {
  readonly as: string | undefined;
  readonly tool: string | undefined;
  readonly input: { readonly value: unknown } | undefined;
  readonly isTainted: boolean;
}

export const explainPermission = async (context: ApiContext): Promise<PermissionExplanation> => {
  const { query } = context;
  return explainPermissionQuery(context, {
    as: readText(query, "as"),
    tool: readText(query, "tool"),
    input: parseInput(readText(query, "input")),
    isTainted: readChoice(query, "tainted", ["true", "false"]) === "true",
  });
};

/** A POST keeps the arguments out of access logs. */
export const explainPermissionInBody = async (
  context: ApiContext<ExplainBody>,
): Promise<PermissionExplanation> => {
  const { as, tool, tainted = false, ...rest } = context.body;
  const input = "input" in rest ? { value: rest.input } : undefined;
  return explainPermissionQuery(context, { as, tool, input, isTainted: tainted });
};

const explainPermissionQuery = async (
  context: ApiContext,
  { as, tool, input, isTainted }: PermissionQuery,
): Promise<PermissionExplanation> => {
  const { caller, principal } = await principalNamed(context, as);
  if (tool === undefined) throw invalidRequestError("`tool` is missing. Set it to the full name of a tool.");
  const { policy: engine } = context.studio.shared;
  const registration = findTool(context.studio, tool);
  const explained = await explainCall({ engine, principal, registration }, { input, isTainted });
  const validated = input === undefined ? undefined : registration.tool.input(input.value);
  const { effect = "unknown", reason = "", ruleIds = [], rules = [], links = [], text } = explained;
  return {
    effect,
    reason,
    ruleIds,
    tool: registration.key,
    caller,
    text,
    dependsOn:
      effect === "deny"
        ? []
        : permissionFactorsOf(engine, principal, registration).filter(
            (each) =>
              !(each === "arguments" && input !== undefined) && !(each === "untrusted-content" && isTainted),
          ),
    issues:
      validated?.ok === false ? validated.issues.map(({ pointer, message }) => ({ pointer, message })) : [],
    rules:
      effect === "unknown"
        ? []
        : rules.map((rule) => toExplainedRule(rule, { effect, reason, ruleIds, links })),
    callers: links.map((link) => ({
      agent: link.agent,
      ...definedFields({ user: link.user, tenant: link.tenant }),
      effect: link.effect,
      reason: link.reason,
      lists: link.rights.map(({ who, refusal }) => ({ owner: who, ...definedFields({ refusal }) })),
    })),
  };
};

const parseInput = (text: string | undefined): { readonly value: unknown } | undefined => {
  if (text === undefined) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    throw invalidRequestError(
      `\`input\` is not valid JSON: ${error instanceof Error ? error.message : String(error)}. Use an object such as {"id": "1"}, or leave it out.`,
    );
  }
};

type ExplainedDecision = Pick<PolicyExplanation, "effect" | "reason" | "ruleIds" | "links">;

const severity = { allow: 0, approve: 1, deny: 2 } as const;

const toExplainedRule = (rule: RuleExplanation, explained: ExplainedDecision): ExplainedRule => {
  const { id, effect, concerns, covers, met, unmet, conditions = [] } = rule;
  const state = ruleStateOf(rule, explained);
  const isOutranked = state === "overruled" || state === "not-enough";
  return {
    ...{ id, effect, matchesCaller: concerns, matchesTool: covers, unmet, state },
    ...definedFields({ met }),
    conditions: conditions.map(({ field, words, met: is }) => ({
      field,
      text: words,
      ...definedFields({ met: is }),
    })),
    overruledBy: state === "overruled" ? explained.ruleIds.filter((each) => each !== id) : [],
    ...(isOutranked ? { reason: explained.reason } : {}),
  };
};

/** Lists of the caller take precedence over rules. */
const ruleStateOf = (
  rule: RuleExplanation,
  { effect, ruleIds, links }: ExplainedDecision,
): ExplainedRule["state"] => {
  const { id, effect: says, concerns, covers, met } = rule;
  if (!concerns) return "other-callers";
  if (!covers) return "other-tools";
  if (met === false) return "unmet";
  if (links.some(({ rights }) => rights.some(({ refusal }) => refusal !== undefined))) return "overruled";
  const isNamed = ruleIds.includes(id);
  // Something other than a rule requires approval.
  if (isNamed && severity[says] < severity[effect]) return "not-enough";
  if (met === undefined) return isNamed || severity[says] > severity[effect] ? "would-decide" : "overruled";
  return isNamed ? "decides" : severity[says] < severity[effect] ? "overruled" : "agrees";
};
