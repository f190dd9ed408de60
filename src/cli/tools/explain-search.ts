import type { Offer } from "../../catalog/offer/offer.ts";
import type { ToolRegistry } from "../../catalog/registry.ts";
import { searchOffer } from "../../runtime/search-offer.ts";
import type { FoundTool, ToolSearch } from "../../selection/search.ts";

/** So many of those that got no place are told of. */
const mostPassedOver = 5;

export interface SearchLimits {
  readonly maxCandidates: number;
  readonly minScore: number;
}

/** A tool that got no place, and why. */
export interface PassedOverTool {
  readonly tool: FoundTool;
  readonly why: string;
}

export interface ExplainedSearch {
  readonly search: ToolSearch;
  /** Best first; what no word of the question stands in is not among them. */
  readonly passedOver: readonly PassedOverTool[];
}

/** What fits a question among the tools of an offer, and what comes next. */
export const explainSearch = (
  registry: ToolRegistry,
  offer: Offer,
  query: string,
  limits: SearchLimits,
): ExplainedSearch => {
  const { maxCandidates, minScore } = limits;
  const search = searchOffer(registry, offer, query, limits);
  const more = searchOffer(registry, offer, query, {
    maxCandidates: maxCandidates + mostPassedOver,
    minScore: 0,
  });
  const found = new Set(search.tools.map(({ name }) => name));
  const passedOver = more.tools
    .filter(({ name }) => !found.has(name))
    .slice(0, mostPassedOver)
    .map((tool) => ({
      tool,
      why:
        tool.score < minScore
          ? `its score is below ${minScore}`
          : found.size < maxCandidates
            ? "others say all that it does"
            : `it is not among the best ${maxCandidates}`,
    }));
  return { search, passedOver };
};
