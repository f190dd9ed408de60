import { estimateTokens } from "../base/text/estimate-tokens.ts";
import { type Format, formats } from "../models/dialects/formats.ts";
import type { OfferedTool } from "../models/dialects/offered-tool.ts";
import { type Offer, toOffer } from "../registry/offer/offer.ts";
import { type FormattedOffer, formatOffer, toolsInOffer } from "./formatted-offer.ts";

/**
 * As much of an offer as fits into a budget of tokens, as the vendor spells it: those that are named first, then the
 * others in the order of the offer. What does not fit is left out, and something smaller may still come after it. What
 * is in keeps the order of the offer.
 */
export const fitOfferToBudget = <F extends Format>(
  offer: Offer,
  format: F,
  maxTokens: number,
  preferredNames: readonly string[] = [],
): FormattedOffer<F> => {
  // A format that does not exist is refused before anything is counted.
  formatOffer(toOffer(offer.principal, offer.version, []), format);
  const includedNames = new Set<string>();
  let remainingTokens = maxTokens;
  for (const tool of toolsByPriority(offer, preferredNames)) {
    const tokens = estimateToolTokens(tool, format);
    if (tokens > remainingTokens) continue;
    remainingTokens -= tokens;
    includedNames.add(tool.wireName);
  }
  const kept = offer.registrations.filter(({ wireName }) => includedNames.has(wireName));
  const omitted = offer.registrations.filter(({ wireName }) => !includedNames.has(wireName));
  const offering = formatOffer(toOffer(offer.principal, offer.version, kept), format);
  return { ...offering, leftOut: Object.freeze(omitted.map(({ wireName }) => wireName)) };
};

const toolsByPriority = (offer: Offer, preferredNames: readonly string[]): readonly OfferedTool[] => {
  const listed = toolsInOffer(offer);
  if (preferredNames.length === 0) return listed;
  const places = new Map(preferredNames.map((name, place) => [name, place]));
  const placeOf = ({ wireName }: OfferedTool): number => places.get(wireName) ?? listed.length;
  return listed.toSorted((a, b) => placeOf(a) - placeOf(b));
};

/** By what was spelled, which is one object for as long as its spec lives. */
const tokenCounts = new WeakMap<object, number>();

/** A tool that the format leaves out takes no room; its report says why it is missing. */
const estimateToolTokens = (tool: OfferedTool, format: Format): number => {
  let sum = 0;
  for (const wire of formats[format]([tool]).tools) {
    const tokens = tokenCounts.get(wire) ?? estimateTokens(JSON.stringify(wire));
    tokenCounts.set(wire, tokens);
    sum += tokens;
  }
  return sum;
};
