import type { Offer } from "../../registry/offer/offer.ts";
import type { ToolSearchHit, ToolSearchResults } from "../../registry/selection/search-index.ts";
import type { ToolRegistry } from "../../registry/tool-registry.ts";
import { searchOffer } from "../../runtime/search-offer.ts";

/** So many of those that got no place are told of. */
const maxNearMissTools = 5;

export interface ToolSearchLimits {
  readonly maxCandidates: number;
  readonly minScore: number;
}

/** A tool that got no place, and why. */
export interface NearMissTool {
  readonly tool: ToolSearchHit;
  readonly why: string;
}

export interface SearchExplanation {
  readonly search: ToolSearchResults;
  /** Best first; what no word of the question stands in is not among them. */
  readonly passedOver: readonly NearMissTool[];
}

/** What fits a question among the tools of an offer, and what comes next. */
export const explainToolSearch = (
  registry: ToolRegistry,
  offer: Offer,
  query: string,
  limits: ToolSearchLimits,
): SearchExplanation => {
  const { maxCandidates, minScore } = limits;
  const search = searchOffer(registry, offer, query, limits);
  const more = searchOffer(registry, offer, query, {
    maxCandidates: maxCandidates + maxNearMissTools,
    minScore: 0,
  });
  const found = new Set(search.tools.map(({ name }) => name));
  const passedOver = more.tools
    .filter(({ name }) => !found.has(name))
    .slice(0, maxNearMissTools)
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
