import type { FoundTool } from "../../selection/search.ts";
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
    const search = await explainSearch(world, question, limit);
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
const explainSearch = async (
  { shared }: StudioWorld,
  query: string,
  limit: number,
): Promise<ToolSearchResult> => {
  const { registry } = shared;
  // The words that it goes by are megabytes: nobody else loads them.
  const { searchAll } = await import("../../runtime/search-offer.ts");
  const { tools, confidence, none, wishes } = searchAll(registry, query, { maxCandidates: limit, minScore });
  const most = Math.min(1_000, limit + mostPassedOver);
  const more = searchAll(registry, query, { maxCandidates: most, minScore: 0 });
  const keys = new Map(registry.list().map(({ wireName, key }) => [wireName, key]));
  const keyOf = (name: string): string => keys.get(name) ?? name;
  const found = new Set(tools.map(({ name }) => name));
  return {
    query,
    confidence,
    ...given({ none }),
    found: tools.map((tool) => toFoundLine(tool, keyOf)),
    passedOver: more.tools
      .filter(({ name }) => !found.has(name))
      .slice(0, mostPassedOver)
      .map((tool) => ({ ...toFoundLine(tool, keyOf), why: whyNot(tool, limit) })),
    wishes: wishes.map(({ text, tools: answering }) => ({ text, tools: answering.map(keyOf) })),
  };
};

const whyNot = ({ score }: FoundTool, limit: number): string =>
  score < minScore ? `its score is below ${minScore}` : `it is not among the best ${limit}`;

const toFoundLine = (
  { name, score, reason, found, evidence }: FoundTool,
  keyOf: (name: string) => string,
): FoundLine => ({
  key: keyOf(name),
  score,
  reason,
  terms: found.map(({ term, place, for: meant }) => ({ term, place, ...given({ for: meant }) })),
  evidence: Object.fromEntries(
    Object.entries(evidence).filter((pair): pair is [string, number] => typeof pair[1] === "number"),
  ),
});
