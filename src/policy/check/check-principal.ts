import type { PolicyProblem } from "../../types/policy-problem.ts";
import type { Principal } from "../../types/principal.ts";
import { delegationChainOf } from "../delegation-chain.ts";
import type { SyncPolicyEngine } from "../engine.ts";
import { findPatternErrors, unknownToolkitProblem } from "../find-rule-errors.ts";
import type { PolicyOptions } from "../options.ts";
import type { Right } from "../right.ts";
import { checkPatterns } from "./check-selectors.ts";
import { createProblem, type ProblemSite, siteAt } from "./policy-problems.ts";
import type { ToolIndex } from "./tool-index.ts";

/** A caller that is known in advance, and where its rights are configured. */
export interface CheckedPrincipal {
  readonly principal: Principal;
  readonly path: readonly (string | number)[];
}

export const checkRight = (
  right: Right,
  site: ProblemSite,
  index: ToolIndex,
  toolkits: readonly string[],
): readonly PolicyProblem[] => [
  ...(["allow", "deny"] as const).flatMap((field) => {
    const patterns = right[field] ?? [];
    const wrong = patterns.flatMap((pattern, position) =>
      findPatternErrors(pattern, siteAt(site, field, position)),
    );
    return wrong.length > 0 ? wrong : checkPatterns(patterns, siteAt(site, field), index);
  }),
  ...(right.toolkits ?? []).flatMap((name, position) =>
    toolkits.includes(name)
      ? []
      : [unknownToolkitProblem(siteAt(site, "toolkits", position), name, toolkits, "warning")],
  ),
];

export const checkPrincipal = (
  { principal, path }: CheckedPrincipal,
  index: ToolIndex,
  options: PolicyOptions,
  engine: SyncPolicyEngine,
): readonly PolicyProblem[] => {
  const toolkits = Object.keys(options.toolkits ?? {});
  const chain = delegationChainOf(principal);
  if (typeof chain === "string") return [];
  const site: ProblemSite = { path };
  const found = chain.flatMap((link, depth) =>
    checkRight(link, siteAt(site, ...Array.from({ length: depth }, () => "within")), index, toolkits),
  );
  if (found.length > 0) return found;
  return isFullyDenied(principal, index, engine)
    ? [nothingAllowedProblem(principal, site, index, engine)]
    : [];
};

const isFullyDenied = (principal: Principal, index: ToolIndex, engine: SyncPolicyEngine): boolean =>
  index.all.length > 0 &&
  !index.hasPending &&
  index.all.every((registration) => engine.visible(principal, registration).effect === "deny");

const nothingAllowedProblem = (
  principal: Principal,
  site: ProblemSite,
  index: ToolIndex,
  engine: SyncPolicyEngine,
): PolicyProblem => {
  const { reason } = engine.visible(principal, index.all[0]!);
  const hasRight = (principal.allow?.length ?? 0) + (principal.toolkits?.length ?? 0) > 0;
  return createProblem(
    site,
    "nothing_allowed",
    `("${principal.agent}") may use none of the ${index.all.length} tools: ${reason}`,
    {
      suggestion: hasRight
        ? "Add a rule or a right that allows it a tool."
        : `Allow tools by name: allow: [${JSON.stringify(index.all[0]!.key)}], or allow: ["*"] for all of them.`,
    },
  );
};
