import type { ToolSearchHit } from "../../../registry/selection/search-index.ts";
import type { ApiContext } from "../api-context.ts";
import { definedFields } from "../defined-fields.ts";
import { readCount, readCursor, readText, toCursor } from "../read-query.ts";
import type { Catalog, ToolMatch, ToolSearchResult } from "../schemas/tools.ts";
import type { StudioServices } from "../studio-services.ts";
import { toToolListItem } from "./to-tool-list-item.ts";

export const listTools = async ({ studio, query }: ApiContext): Promise<Catalog> => {
  const limit = readCount(query, "limit", 100, 1_000);
  const searchQuery = readText(query, "query");
  const { registry } = studio.shared;
  if (searchQuery !== undefined) {
    const search = await searchWithReasons(studio, searchQuery, limit);
    const found = search.matches.flatMap(({ key }) => registry.get(key) ?? []);
    return { items: found.map((each) => toToolListItem(studio, each)), hasMore: false, search };
  }
  const all = registry.list().toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const after = readCursor(query);
  const rest = after === undefined ? all : all.filter(({ key }) => key > after);
  const shown = rest.slice(0, limit);
  const hasMore = rest.length > limit;
  return {
    items: shown.map((each) => toToolListItem(studio, each)),
    hasMore,
    ...(hasMore ? { next: toCursor(shown.at(-1)!.key) } : {}),
    total: { count: all.length, isEstimate: false },
  };
};

const minToolScore = 0.1;
const maxNearMisses = 5;

const searchWithReasons = async (
  { shared }: StudioServices,
  query: string,
  limit: number,
): Promise<ToolSearchResult> => {
  const { registry } = shared;
  // Loaded when needed, because the vocabulary has several megabytes.
  const { searchRegistry: searchAll } = await import("../../../runtime/search-offer.ts");
  const { tools, confidence, none, wishes } = searchAll(registry, query, {
    maxCandidates: limit,
    minScore: minToolScore,
  });
  const most = Math.min(1_000, limit + maxNearMisses);
  const more = searchAll(registry, query, { maxCandidates: most, minScore: 0 });
  const keys = new Map(registry.list().map(({ wireName, key }) => [wireName, key]));
  const keyOf = (name: string): string => keys.get(name) ?? name;
  const found = new Set(tools.map(({ name }) => name));
  return {
    query,
    confidence,
    ...definedFields({ noMatchReason: none }),
    matches: tools.map((tool) => toToolMatch(tool, keyOf)),
    nearMisses: more.tools
      .filter(({ name }) => !found.has(name))
      .slice(0, maxNearMisses)
      .map((tool) => ({ ...toToolMatch(tool, keyOf), exclusionReason: exclusionReason(tool, limit) })),
    intents: wishes.map(({ text, tools: answering }) => ({ text, tools: answering.map(keyOf) })),
  };
};

const exclusionReason = ({ score }: ToolSearchHit, limit: number): string =>
  score < minToolScore ? `score below ${minToolScore}` : `not among the best ${limit}`;

const toToolMatch = (
  { name, score, reason, found, evidence }: ToolSearchHit,
  keyOf: (name: string) => string,
): ToolMatch => ({
  key: keyOf(name),
  score,
  reason,
  terms: found.map(({ term, place, for: meant }) => ({ term, place, ...definedFields({ for: meant }) })),
  evidence: Object.fromEntries(
    Object.entries(evidence).filter((pair): pair is [string, number] => typeof pair[1] === "number"),
  ),
});
