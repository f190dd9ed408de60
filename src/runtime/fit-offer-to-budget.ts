import { estimateTokens } from "../base/text/estimate-tokens.ts";
import { type Format, formats } from "../models/dialects/formats.ts";
import type { OfferedTool } from "../models/dialects/offered-tool.ts";
import { type Offer, toOffer } from "../registry/offer/offer.ts";
import { type FormattedOffer, formatOffer, toolsInOffer } from "./formatted-offer.ts";

/**
 * Selects tools for a token budget: preferred names first, then in offer order. A tool that does not fit is
 * skipped, and smaller ones may follow. The result keeps the offer's order.
 */
export const fitOfferToBudget = <F extends Format>(
  offer: Offer,
  format: F,
  maxTokens: number,
  preferredNames: readonly string[] = [],
): FormattedOffer<F> => {
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

const tokenCounts = new WeakMap<object, number>();

const estimateToolTokens = (tool: OfferedTool, format: Format): number => {
  let sum = 0;
  for (const wire of formats[format]([tool]).tools) {
    const tokens = tokenCounts.get(wire) ?? estimateTokens(JSON.stringify(wire));
    tokenCounts.set(wire, tokens);
    sum += tokens;
  }
  return sum;
};
