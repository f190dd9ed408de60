import type { Effect } from "effect/Effect";
import type { Offer } from "../registry/offer/offer.ts";
import type { OfferCache } from "../registry/offer/offer-cache.ts";
import { registryIndexOf } from "../registry/selection/owner-index.ts";
import { pickFromSource } from "../registry/selection/pick-from-source.ts";
import type { PickedTool, PickOptions, PickSource } from "../registry/selection/pick-options.ts";
import { type ToolSearchResults, toToolSearch } from "../registry/selection/search-index.ts";
import { type SearchOptions, searchFrom } from "../registry/selection/search-tools.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import type { ConfigurationError } from "../types/errors.ts";
import type { Principal } from "../types/principal.ts";

export const searchOffer = (
  registry: ToolRegistry,
  { byWireName }: Offer,
  query: string,
  { maxCandidates, minScore }: { readonly maxCandidates: number; readonly minScore: number },
): ToolSearchResults => {
  const isAllowed = (key: string, { name }: { readonly name: string }): boolean =>
    byWireName.get(name)?.key === key;
  return toToolSearch(registryIndexOf(registry).search(query, { limit: maxCandidates, isAllowed }), minScore);
};

/** Searches all tools, for operators. */
export const searchRegistry = (
  registry: ToolRegistry,
  query: string,
  { maxCandidates, minScore }: { readonly maxCandidates: number; readonly minScore: number },
): ToolSearchResults =>
  toToolSearch(registryIndexOf(registry).search(query, { limit: maxCandidates }), minScore);

export interface OfferSearchContext {
  readonly registry: ToolRegistry;
  readonly offers: OfferCache;
  readonly principal: Principal | undefined;
  readonly now: number;
}

/** Searches the offer without building it: only found tools are checked for visibility. */
const offerPickSource = ({ registry, offers, principal, now }: OfferSearchContext): PickSource => ({
  specs: () => offers.get(principal, now).specs,
  search: (text, limit, isAllowed) => {
    const isOffered = offers.checkOffered(principal, now);
    return registryIndexOf(registry).search(text, {
      limit,
      isAllowed: (key, spec) => isOffered(spec.name, key) && isAllowed(spec),
    });
  },
});

export const searchOffered = (
  asker: OfferSearchContext,
  query: unknown,
  options: SearchOptions,
): ToolSearchResults => searchFrom(query, offerPickSource(asker), options);

export const pickOffered = (
  asker: OfferSearchContext,
  query: unknown,
  options: PickOptions,
): Effect<readonly PickedTool[], ConfigurationError> =>
  pickFromSource(query, () => offerPickSource(asker), options);
