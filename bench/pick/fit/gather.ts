import type { Evidence } from "../../../src/registry/selection/index/weigh-candidates.ts";
import { type ToolIndex, toolIndex } from "../../../src/registry/selection/tool-index.ts";
import { specOf } from "../contenders/haft.ts";
import { type DataQuery, type DataTool, needsOf, type SelectionData } from "../data.ts";

/** A query and the evidence for each tool of its results. */
export interface Asked {
  readonly source: string;
  readonly found: readonly Evidence[];
  /** For each need, the positions in the results of the tools that satisfy it. */
  readonly needs: readonly (readonly number[])[];
  /** By position: whether the tool is relevant. */
  readonly isRight: readonly boolean[];
}

export interface Gathered {
  /** Each query among the tools of its own source. */
  readonly own: readonly Asked[];
  /** Queries among their candidates in an index of all tools: with a relevant one, and without. */
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
