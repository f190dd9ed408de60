import type { Offer } from "../catalog/offer/offer.ts";
import type { ToolRegistry } from "../catalog/registry.ts";
import { type SearchRequest, searchIndex, type ToolSearch } from "../selection/search.ts";
import { indexOf } from "./live-index.ts";

/** Searches what one principal is offered now. What is not in the offer is not found, whatever the question says. */
export const searchOffer = (
  registry: ToolRegistry,
  { byWireName }: Offer,
  query: string,
  limits: Pick<SearchRequest, "maxCandidates" | "minScore">,
): ToolSearch =>
  searchIndex(indexOf(registry), query, {
    ...limits,
    isAllowed: (key, { name }) => byWireName.get(name)?.key === key,
  });
