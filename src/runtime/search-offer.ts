import type { Effect } from "effect/Effect";
import type { Offer } from "../catalog/offer/offer.ts";
import type { ToolRegistry } from "../catalog/registry.ts";
import { pickFrom } from "../selection/pick.ts";
import type { Picked, PickOptions } from "../selection/pick-options.ts";
import type { PickSource } from "../selection/pick-source.ts";
import { type ToolSearch, toSearch } from "../selection/search.ts";
import { type SearchOptions, searchFrom } from "../selection/search-tools.ts";
import type { ConfigurationError } from "../words/errors.ts";
import type { ToolSpec } from "../words/spec.ts";
import { indexOf } from "./live-index.ts";

/** What one principal is offered now. What is not in the offer is not found, whatever the question says. */
const sourceOf = (registry: ToolRegistry, { byWireName, specs }: Offer): PickSource => ({
  specs: () => specs,
  search: (text, limit, isAllowed) =>
    indexOf(registry).search(text, {
      limit,
      isAllowed: (key, spec) => byWireName.get(spec.name)?.key === key && isAllowed(spec),
    }),
});

const everything = (_spec: ToolSpec): boolean => true;

/** Searches an offer for a model, which may find what it must ask a person for. */
export const searchOffer = (
  registry: ToolRegistry,
  offer: Offer,
  query: string,
  { maxCandidates, minScore }: { readonly maxCandidates: number; readonly minScore: number },
): ToolSearch => toSearch(sourceOf(registry, offer).search(query, maxCandidates, everything), minScore);

/** Searches an offer as `searchTools` does a list. */
export const searchOffered = (
  registry: ToolRegistry,
  offer: Offer,
  query: unknown,
  options: SearchOptions,
): ToolSearch => searchFrom(query, sourceOf(registry, offer), options);

/** Picks from an offer as `pickTools` does from a list. */
export const pickOffer = (
  registry: ToolRegistry,
  offer: Offer,
  query: unknown,
  options: PickOptions,
): Effect<readonly Picked[], ConfigurationError> => pickFrom(query, () => sourceOf(registry, offer), options);
