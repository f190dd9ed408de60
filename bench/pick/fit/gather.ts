import type { Evidence } from "../../../src/registry/selection/index/weigh-candidates.ts";
import { type ToolIndex, toolIndex } from "../../../src/registry/selection/tool-index.ts";
import { specOf } from "../contenders/haft.ts";
import { type DataQuery, type DataTool, needsOf, type SelectionData } from "../data.ts";

/** A question, and what spoke for each tool that was found for it. */
export interface Asked {
  readonly source: string;
  readonly found: readonly Evidence[];
  /** For each need, the places among the found of the tools that would do. */
  readonly needs: readonly (readonly number[])[];
  /** By place: whether the tool is one of the right ones. */
  readonly isRight: readonly boolean[];
}

export interface Gathered {
  /** Each question among the tools of its own source. */
  readonly own: readonly Asked[];
  /** Questions among the few tools they came with, in an index of all: those with a right one, and those without. */
  readonly answerable: readonly Asked[];
  readonly none: readonly Asked[];
}

const limit = 60;

export const gather = ({ tools, queries, none }: SelectionData, say: (text: string) => void): Gathered => {
  const own: Asked[] = [];
  for (const [source, some] of Map.groupBy(queries, (query) => query.source)) {
    say(`fit: the questions of ${source}`);
    const index = indexOf(tools.filter((tool) => tool.source === source));
    for (const query of some) own.push(ask(index, query));
  }
  say("fit: questions among their candidates");
  const all = indexOf(tools);
  const known = new Set(tools.map(({ id }) => id));
  const amongCandidates = (some: readonly DataQuery[]): readonly Asked[] =>
    some.flatMap((query) => {
      const few = new Set(query.candidates?.filter((id) => known.has(id)));
      return few.size === 0 ? [] : [ask(all, query, few)];
    });
  const sources = new Set(none.map(({ source }) => source));
  return {
    own,
    answerable: amongCandidates(queries.filter(({ source }) => sources.has(source))),
    none: amongCandidates(none),
  };
};

const indexOf = (tools: readonly DataTool[]): ToolIndex => {
  const index = toolIndex();
  for (const tool of tools) index.add(tool.id, specOf(tool));
  return index;
};

const ask = (index: ToolIndex, query: DataQuery, few?: ReadonlySet<string>): Asked => {
  const isAllowed = few === undefined ? undefined : (key: string) => few.has(key);
  const hits = index.search(query.query, { limit, isAllowed });
  const places = new Map(hits.map(({ key }, place) => [key, place]));
  const needs = needsOf(query).map((group) => group.flatMap((id) => places.get(id) ?? []));
  const right = new Set(needs.flat());
  return {
    source: query.source,
    found: hits.map(({ evidence }) => evidence),
    needs,
    isRight: hits.map((_, place) => right.has(place)),
  };
};
