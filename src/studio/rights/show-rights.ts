import { explainCall } from "../../runtime/explain-call.ts";
import { given } from "../calls/call-line.ts";
import { invalid } from "../refused.ts";
import { readCount, readName } from "../request/read-query.ts";
import { findTool } from "../tools/show-tool.ts";
import type { Visit } from "../visit.ts";
import type { Right, RightExplained, Rights } from "../words/rights.ts";
import { askedAbout, principalsOf } from "./principals.ts";

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
        return { effect, reason, ruleIds };
      }),
    ),
  };
};

/** Why somebody may or may not call a tool, with these arguments if there are any. */
export const explainRight = async (visit: Visit): Promise<RightExplained> => {
  const { world, query } = visit;
  const { caller, principal } = await askedAbout(visit, readName(query, "as"));
  const name = readName(query, "tool");
  if (name === undefined) throw invalid("`tool` names the tool that is asked about.");
  const { policy: engine } = world.shared;
  const registration = findTool(world, name);
  const isTainted = query.tainted === "true";
  const explained = await explainCall(
    { engine, principal, registration },
    { input: readInput(readName(query, "input")), isTainted },
  );
  const { effect = "unknown", reason = "", ruleIds = [], rules = [], links = [], text } = explained;
  return {
    effect,
    reason,
    ruleIds,
    tool: registration.key,
    caller,
    text,
    rules: rules.map(({ id, effect: rule, concerns, covers, met, unmet }) => ({
      ...{ id, effect: rule, concerns, covers, unmet },
      ...given({ met }),
    })),
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
  } catch {
    throw invalid("`input` is JSON.");
  }
};
