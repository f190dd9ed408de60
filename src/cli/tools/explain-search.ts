import type { Offer } from "../../registry/offer/offer.ts";
import type { ToolSearchHit, ToolSearchResults } from "../../registry/selection/search-index.ts";
import type { ToolRegistry } from "../../registry/tool-registry.ts";
import { searchOffer } from "../../runtime/search-offer.ts";

const maxNearMissTools = 5;

export interface ToolSearchLimits {
  readonly maxCandidates: number;
  readonly minScore: number;
}

export interface NearMissTool {
  readonly tool: ToolSearchHit;
  readonly why: string;
}

export interface SearchExplanation {
  readonly search: ToolSearchResults;
  readonly passedOver: readonly NearMissTool[];
}

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
            ? "other tools match the same parts of the task"
            : `it is not among the top ${maxCandidates}`,
    }));
  return { search, passedOver };
};
