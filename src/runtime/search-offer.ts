import type { Effect } from "effect/Effect";
import type { Offer } from "../catalog/offer/offer.ts";
import type { Offers } from "../catalog/offer/offers.ts";
import type { ToolRegistry } from "../catalog/registry.ts";
import { pickFrom } from "../selection/pick.ts";
import type { Picked, PickOptions } from "../selection/pick-options.ts";
import type { PickSource } from "../selection/pick-source.ts";
import { type ToolSearch, toSearch } from "../selection/search.ts";
import { type SearchOptions, searchFrom } from "../selection/search-tools.ts";
import type { ConfigurationError } from "../words/errors.ts";
import type { Principal } from "../words/principal.ts";
import { indexOf } from "./live-index.ts";

/** Searches an offer for a model, which may find what it must ask a person for. What is not in it is not found. */
export const searchOffer = (
  registry: ToolRegistry,
  { byWireName }: Offer,
  query: string,
  { maxCandidates, minScore }: { readonly maxCandidates: number; readonly minScore: number },
): ToolSearch => {
  const isAllowed = (key: string, { name }: { readonly name: string }): boolean =>
    byWireName.get(name)?.key === key;
  return toSearch(indexOf(registry).search(query, { limit: maxCandidates, isAllowed }), minScore);
};

/** Searches every tool there is, for an operator who may see all of them. */
export const searchAll = (
  registry: ToolRegistry,
  query: string,
  { maxCandidates, minScore }: { readonly maxCandidates: number; readonly minScore: number },
): ToolSearch => toSearch(indexOf(registry).search(query, { limit: maxCandidates }), minScore);

/** Somebody who asks, and at what time. */
export interface Asker {
  readonly registry: ToolRegistry;
  readonly offers: Offers;
  readonly principal: Principal | undefined;
  readonly now: number;
}

/** What somebody is offered, without an offer of everything: only tools that would be found are asked for. */
const sourceFor = ({ registry, offers, principal, now }: Asker): PickSource => ({
  specs: () => offers.to(principal, now).specs,
  search: (text, limit, isAllowed) => {
    const isOffered = offers.has(principal, now);
    return indexOf(registry).search(text, {
      limit,
      isAllowed: (key, spec) => isOffered(spec.name, key) && isAllowed(spec),
    });
  },
});

/** Searches what somebody is offered as `searchTools` does a list. */
export const searchFor = (asker: Asker, query: unknown, options: SearchOptions): ToolSearch =>
  searchFrom(query, sourceFor(asker), options);

/** Picks from what somebody is offered as `pickTools` does from a list. */
export const pickFor = (
  asker: Asker,
  query: unknown,
  options: PickOptions,
): Effect<readonly Picked[], ConfigurationError> => pickFrom(query, () => sourceFor(asker), options);
