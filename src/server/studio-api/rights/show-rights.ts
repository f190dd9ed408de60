import type { PolicyEngine } from "../../policy/policy.ts";
import { explainCall } from "../../runtime/explain-call.ts";
import type { Principal } from "../../words/principal.ts";
import type { Registration } from "../../words/tool.ts";
import { given } from "../calls/call-line.ts";
import { invalid } from "../refused.ts";
import { readCount, readName, readWord } from "../request/read-query.ts";
import { findTool } from "../tools/show-tool.ts";
import type { Visit } from "../visit.ts";
import type { ExplainBody, Right, RightCircumstance, RightExplained, Rights } from "../words/rights.ts";
import { askedAbout, principalsOf } from "./principals.ts";
import { toExplainedRule } from "./rule-state.ts";

const mostPrincipals = 50;

/** Who may what: principals × tools. Where arguments decide, the best that any could get. */
export const showRights = async ({ world, person, query }: Visit): Promise<Rights> => {
  const limit = readCount(query, "limit", 200, 1_000);
  const search = readName(query, "tool")?.toLowerCase();
  const { registry, policy } = world.shared;
  const all = registry.list().filter(({ key }) => search === undefined || key.toLowerCase().includes(search));
  const tools = all.slice(0, limit);
  const principals = await principalsOf(world, person);
  const shown = principals.slice(0, mostPrincipals);
  return {
    principals: shown.map(({ principal: _, ...named }) => named),
    tools: tools.map(({ key }) => key),
    isCut: all.length > limit || principals.length > mostPrincipals,
    cells: shown.map(({ principal }) =>
      tools.map((registration): Right => {
        const { effect, reason, ruleIds } = policy.visible(principal, registration);
        const depends = effect === "deny" ? [] : dependsOf(policy, principal, registration);
        return { effect, reason, ruleIds, depends };
      }),
    ),
  };
};

/** What of a call can change a right that is no denial; nobody knows it of an engine that does not say. */
const dependsOf = (
  policy: PolicyEngine,
  principal: Principal,
  registration: Registration,
): readonly RightCircumstance[] => {
  try {
    return policy.depends?.(principal, registration) ?? ["unknown"];
  } catch {
    return ["unknown"];
  }
};

/** What is asked about somebody's right. */
interface AskedRight {
  readonly as: string | undefined;
  readonly tool: string | undefined;
  readonly input: { readonly value: unknown } | undefined;
  readonly isTainted: boolean;
}

/** Why somebody may or may not call a tool, with these arguments if there are any. */
export const explainRight = async (visit: Visit): Promise<RightExplained> => {
  const { query } = visit;
  return explain(visit, {
    as: readName(query, "as"),
    tool: readName(query, "tool"),
    input: readInput(readName(query, "input")),
    isTainted: readWord(query, "tainted", ["true", "false"]) === "true",
  });
};

/** The same for arguments that must not stand in an address, where proxies would write them down. */
export const explainWritten = async (visit: Visit): Promise<RightExplained> => {
  const { as, tool, tainted = false, ...rest } = visit.body as unknown as ExplainBody;
  const input = "input" in rest ? { value: rest.input } : undefined;
  return explain(visit, { as, tool, input, isTainted: tainted });
};

const explain = async (visit: Visit, { as, tool, input, isTainted }: AskedRight): Promise<RightExplained> => {
  const { caller, principal } = await askedAbout(visit, as);
  if (tool === undefined) throw invalid("`tool` names the tool that is asked about.");
  const { policy: engine } = visit.world.shared;
  const registration = findTool(visit.world, tool);
  const explained = await explainCall({ engine, principal, registration }, { input, isTainted });
  const judged = input === undefined ? undefined : registration.tool.input(input.value);
  const { effect = "unknown", reason = "", ruleIds = [], rules = [], links = [], text } = explained;
  return {
    effect,
    reason,
    ruleIds,
    tool: registration.key,
    caller,
    text,
    // What was asked about is settled; it is told what is still open.
    depends:
      effect === "deny"
        ? []
        : dependsOf(engine, principal, registration).filter(
            (each) =>
              !(each === "arguments" && input !== undefined) && !(each === "untrusted-words" && isTainted),
          ),
    findings: judged?.ok === false ? judged.issues.map(({ pointer, message }) => ({ pointer, message })) : [],
    rules:
      effect === "unknown"
        ? []
        : rules.map((rule) => toExplainedRule(rule, { effect, reason, ruleIds, links })),
    links: links.map((link) => ({
      agent: link.agent,
      ...given({ user: link.user, tenant: link.tenant }),
      effect: link.effect,
      reason: link.reason,
      rights: link.rights.map(({ who, refusal }) => ({ who, ...given({ refusal }) })),
    })),
  };
};

const readInput = (text: string | undefined): { readonly value: unknown } | undefined => {
  if (text === undefined) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    throw invalid(
      `\`input\` is no JSON: ${error instanceof Error ? error.message : String(error)}. Write the arguments as an object, such as {"id": "1"}, or leave it out.`,
    );
  }
};
