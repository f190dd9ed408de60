import { estimateTokens } from "../base/text/estimate-tokens.ts";
import { suggestName } from "../base/text/nearest.ts";
import type { ExportLoss, OfferedTool } from "../models/dialects/exporter.ts";
import { type Format, formats } from "../models/dialects/formats.ts";
import { type Offer, toOffer, toOfferedSpec } from "../registry/offer/offer.ts";
import { ConfigurationError } from "../types/errors.ts";

/** An offer in the format of a vendor. */
export interface FormattedOffer<F extends Format = Format> {
  readonly format: F;
  /** Tools for the vendor's request. */
  readonly tools: ReturnType<(typeof formats)[F]>["tools"];
  /** What the format omits or changes. */
  readonly report: readonly ExportLoss[];
  /** Pass it to `turn`, so that only offered tools can be called. */
  readonly offer: Offer;
  /** Names of tools that did not fit into `maxTokens`. */
  readonly leftOut: readonly string[];
}

/** Options of `haft.offer`. */
export interface OfferOptions<F extends Format = Format> {
  /** Unless set: `openai`. */
  readonly format?: F;
  /** Maximum tokens of all definitions, by a conservative estimate. Unless set: unlimited. */
  readonly maxTokens?: number;
  readonly query?: undefined;
}

/** Options of `haft.offer` with a query. */
export interface QueriedOfferOptions<F extends Format = Format> extends Pick<OfferOptions<F>, "format"> {
  readonly maxTokens: number;
  /** Tools that match the query are selected first. */
  readonly query: string;
}

const toolsByOffer = new WeakMap<Offer, readonly OfferedTool[]>();

const offerFields = ["format", "maxTokens", "query"];

/** Rejects unknown options: a misspelled budget would offer everything. */
export const checkOfferOptions = (options: unknown): void => {
  const isObject = typeof options === "object" && options !== null && !Array.isArray(options);
  const unknown = isObject ? Object.keys(options).find((field) => !offerFields.includes(field)) : undefined;
  if (isObject && unknown === undefined) return;
  const what = isObject ? `unknown option \`${unknown}\`` : "the options must be an object";
  throw new ConfigurationError(
    "invalid_config",
    `haft.offer: ${what}. The options are: ${offerFields.join(", ")}.`,
  );
};

/** Rejects an invalid budget, and a query without a budget. */
export const checkOfferBudget = (maxTokens: unknown, query: unknown): void => {
  const fail = (what: string): never => {
    throw new ConfigurationError("invalid_config", `haft.offer: ${what}`);
  };
  if (maxTokens !== undefined && (!Number.isSafeInteger(maxTokens) || (maxTokens as number) < 1)) {
    fail("`maxTokens` must be a whole number of at least 1.");
  }
  if (query === undefined) return;
  if (maxTokens === undefined) {
    fail("`query` selects the tools that fit into `maxTokens`, which is not set. Set it, or use haft.pick.");
  }
  if (typeof query !== "string" || query.trim() === "") {
    fail("`query` must be a string that describes the task.");
  }
};

export const formatOffer = <F extends Format>(offer: Offer, format: F): FormattedOffer<F> => {
  if (!Object.hasOwn(formats, format)) {
    throw new ConfigurationError(
      "invalid_config",
      `Unknown format "${format}".${suggestName(format, Object.keys(formats))} The formats are ${Object.keys(formats).join(", ")}.`,
    );
  }
  const formatted = formats[format](toolsInOffer(offer)) as Pick<FormattedOffer<F>, "tools" | "report">;
  return {
    format,
    tools: formatted.tools,
    get report() {
      return formatted.report;
    },
    offer,
    leftOut: noNames,
  };
};

const noNames: readonly string[] = Object.freeze([]);

/** The tools of an offer for formats; cached per offer. */
export const toolsInOffer = (offer: Offer): readonly OfferedTool[] => {
  const before = toolsByOffer.get(offer);
  if (before !== undefined) return before;
  const list = Object.freeze(
    offer.registrations.map((one) => ({ wireName: one.wireName, spec: toOfferedSpec(one) })),
  );
  toolsByOffer.set(offer, list);
  return list;
};

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
