import { type Offer, toOffer } from "../../../registry/offer/offer.ts";
import type { Registration } from "../../../types/tool.ts";
import { loadToolName, searchToolName } from "../../../types/tool-search.ts";

export const searchToolNames = [searchToolName, loadToolName, "call_tool"] as const;

const searchToolNameSet: ReadonlySet<string> = new Set(searchToolNames);

export const isSearchToolName = (name: unknown): boolean =>
  typeof name === "string" && searchToolNameSet.has(name);

const servableOffers = new WeakMap<Offer, Offer>();

/** The offer without tools that share a name with a search tool, which cannot be called. */
export const toServableOffer = (offer: Offer): Offer => {
  const before = servableOffers.get(offer);
  if (before !== undefined) return before;
  const isServable = ({ wireName }: Registration): boolean => !isSearchToolName(wireName);
  const { principal, version, registrations } = offer;
  const servedOffer = registrations.every(isServable)
    ? offer
    : toOffer(principal, version, registrations.filter(isServable));
  servableOffers.set(offer, servedOffer);
  return servedOffer;
};
