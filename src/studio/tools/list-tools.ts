import { indexOf } from "../../runtime/live-index.ts";
import { reasonOf, toSearch } from "../../selection/search.ts";
import type { IndexHit } from "../../selection/tool-index.ts";
import { given } from "../calls/call-line.ts";
import { readCount, readCursor, readName, toCursor } from "../request/read-query.ts";
import type { Visit } from "../visit.ts";
import type { Catalog, FoundLine, ToolSearchResult } from "../words/tools.ts";
import type { StudioWorld } from "../world.ts";
import { toToolLine } from "./tool-line.ts";

/** Every tool by name, or those that fit a question, best first and with reasons. */
export const listTools = async ({ world, query }: Visit): Promise<Catalog> => {
  const limit = readCount(query, "limit", 100, 1_000);
  const question = readName(query, "query");
  const { registry } = world.shared;
  if (question !== undefined) {
    const search = explainSearch(world, question, limit);
    const found = search.found.flatMap(({ key }) => registry.get(key) ?? []);
    return { items: found.map((each) => toToolLine(world, each)), isCut: false, search };
  }
  const all = registry.list().toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const after = readCursor(query);
  const rest = after === undefined ? all : all.filter(({ key }) => key > after);
  const shown = rest.slice(0, limit);
  const isCut = rest.length > limit;
  return {
    items: shown.map((each) => toToolLine(world, each)),
    isCut,
    ...(isCut ? { next: toCursor(shown.at(-1)!.key) } : {}),
    total: { count: all.length, isEstimate: false },
  };
};

const minScore = 0.1;
const mostPassedOver = 5;

/** What the selector that models are served by says of a question, over all tools that there are. */
const explainSearch = ({ shared }: StudioWorld, query: string, limit: number): ToolSearchResult => {
  const hits = indexOf(shared.registry).search(query, { limit: Math.min(1_000, limit + mostPassedOver) });
  const { confidence, none, wishes } = toSearch(hits, minScore);
  const fitting = hits.filter(({ score }) => score >= minScore).slice(0, limit);
  const keys = new Map(hits.map(({ spec, key }) => [spec.name, key]));
  return {
    query,
    confidence,
    ...given({ none }),
    found: fitting.map(toFoundLine),
    passedOver: hits
      .filter((hit) => !fitting.includes(hit))
      .slice(0, mostPassedOver)
      .map((hit) => ({
        ...toFoundLine(hit),
        why: hit.score < minScore ? `its score is below ${minScore}` : `it is not among the best ${limit}`,
      })),
    wishes: wishes.map(({ text, tools }) => ({ text, tools: tools.map((name) => keys.get(name) ?? name) })),
  };
};

const toFoundLine = ({ key, score, found, evidence }: IndexHit): FoundLine => ({
  key,
  score,
  reason: reasonOf(found),
  terms: found.map(({ term, place, for: meant }) => ({ term, place, ...given({ for: meant }) })),
  evidence: Object.fromEntries(
    Object.entries(evidence).filter((pair): pair is [string, number] => typeof pair[1] === "number"),
  ),
});
