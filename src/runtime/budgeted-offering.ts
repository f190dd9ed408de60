import { type Offer, toOffer } from "../catalog/offer/offer.ts";
import { type Format, formats } from "../dialects/formats.ts";
import type { OfferedTool } from "../dialects/listed.ts";
import { estimateTokens } from "../text/estimate-tokens.ts";
import { listedIn, type Offering, toOffering } from "./offering.ts";

/**
 * As much of an offer as fits into a budget of tokens, as the vendor spells it: those that are named first, then the
 * others in the order of the offer. What does not fit is left out, and something smaller may still come after it. What
 * is in keeps the order of the offer.
 */
export const budgetedOffering = <F extends Format>(
  offer: Offer,
  format: F,
  maxTokens: number,
  first: readonly string[] = [],
): Offering<F> => {
  // A format that does not exist is refused before anything is counted.
  toOffering(toOffer(offer.principal, offer.version, []), format);
  const taken = new Set<string>();
  let left = maxTokens;
  for (const tool of inTurn(offer, first)) {
    const tokens = tokensOf(tool, format);
    if (tokens > left) continue;
    left -= tokens;
    taken.add(tool.wireName);
  }
  const kept = offer.registrations.filter(({ wireName }) => taken.has(wireName));
  const gone = offer.registrations.filter(({ wireName }) => !taken.has(wireName));
  const offering = toOffering(toOffer(offer.principal, offer.version, kept), format);
  return { ...offering, leftOut: Object.freeze(gone.map(({ wireName }) => wireName)) };
};

const inTurn = (offer: Offer, first: readonly string[]): readonly OfferedTool[] => {
  const listed = listedIn(offer);
  if (first.length === 0) return listed;
  const places = new Map(first.map((name, place) => [name, place]));
  const placeOf = ({ wireName }: OfferedTool): number => places.get(wireName) ?? listed.length;
  return listed.toSorted((a, b) => placeOf(a) - placeOf(b));
};

/** By what was spelled, which is one object for as long as its spec lives. */
const counted = new WeakMap<object, number>();

/** A tool that the format leaves out takes no room; its report says why it is missing. */
const tokensOf = (tool: OfferedTool, format: Format): number => {
  let sum = 0;
  for (const wire of formats[format]([tool]).tools) {
    const tokens = counted.get(wire) ?? estimateTokens(JSON.stringify(wire));
    counted.set(wire, tokens);
    sum += tokens;
  }
  return sum;
};
