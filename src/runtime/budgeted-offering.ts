import { type Offer, toOffer } from "../catalog/offer/offer.ts";
import { type Format, formats } from "../dialects/formats.ts";
import type { OfferedTool } from "../dialects/listed.ts";
import { searchIndex } from "../selection/search.ts";
import { type ToolIndex, toolIndex } from "../selection/tool-index.ts";
import { estimateTokens } from "../text/estimate-tokens.ts";
import { ConfigurationError } from "../words/errors.ts";
import { type BudgetedOfferOptions, listedIn, type Offering, toOffering } from "./offering.ts";

/**
 * As much of an offer as fits into a budget of tokens, as the vendor spells it. What does not fit is left out, and
 * something smaller may still come after it. What is in keeps the order of the offer.
 */
export const budgetedOffering = <F extends Format>(
  offer: Offer,
  format: F,
  { maxTokens, query }: BudgetedOfferOptions<F>,
): Offering<F> => {
  check(maxTokens, query);
  // A format that does not exist is refused before anything is counted.
  toOffering(toOffer(offer.principal, offer.version, []), format);
  const taken = new Set<string>();
  let left = maxTokens;
  for (const tool of inTurn(offer, query)) {
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

const check = (maxTokens: unknown, query: unknown): void => {
  const refuse = (what: string): never => {
    throw new ConfigurationError("invalid_config", `haft.offer: ${what}.`);
  };
  if (!Number.isSafeInteger(maxTokens) || (maxTokens as number) < 1) {
    refuse("`maxTokens` takes a whole number of at least 1");
  }
  if (query !== undefined && (typeof query !== "string" || query.trim() === "")) {
    refuse("`query` takes a text that says what the tools are for");
  }
};

/** By name, or those that fit the question before all others. */
const inTurn = (offer: Offer, query: string | undefined): readonly OfferedTool[] => {
  const listed = listedIn(offer);
  if (query === undefined) return listed;
  const { tools } = searchIndex(indexOf(offer), query.slice(0, longestQuery), {
    maxCandidates: listed.length,
    minScore: 0,
  });
  const places = new Map(tools.map(({ name }, place) => [name, place]));
  const placeOf = ({ wireName }: OfferedTool): number => places.get(wireName) ?? listed.length;
  return listed.toSorted((a, b) => placeOf(a) - placeOf(b));
};

const longestQuery = 2_000;

const indexes = new WeakMap<Offer, ToolIndex>();

const indexOf = (offer: Offer): ToolIndex => {
  const before = indexes.get(offer);
  if (before !== undefined) return before;
  const index = toolIndex();
  for (const { wireName, spec } of listedIn(offer)) index.add(wireName, spec);
  indexes.set(offer, index);
  return index;
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
