import MiniSearch from "minisearch";
import { type Contender, parameterText, split, stopWords } from "../contender.ts";
import type { DataTool } from "../data.ts";

export const documentOf = ({ id, name, description, parameters }: DataTool) => ({
  id,
  name: split(name),
  description: split(description ?? ""),
  parameters: split(parameterText(parameters)),
});

const stops = new Set(stopWords);

export const minisearchIndex = () =>
  new MiniSearch({
    fields: ["name", "description", "parameters"],
    processTerm: (term) => (stops.has(term.toLowerCase()) ? null : term.toLowerCase()),
    searchOptions: { boost: { name: 2 } },
  });

/** MiniSearch with the boost of its guide, without stop words. Prefix and fuzzy search find less here. */
export const minisearch: Contender = {
  name: "minisearch",
  open: (tools) => {
    const index = minisearchIndex();
    index.addAll(tools.map(documentOf));
    return {
      search: (query, limit) =>
        index
          .search(split(query))
          .slice(0, limit)
          .map(({ id, score }) => [id as string, score] as const),
      bestAmong: (query, ids) => {
        const allowed = new Set(ids);
        return index.search(split(query), { filter: ({ id }) => allowed.has(id) })[0]?.score ?? 0;
      },
    };
  },
};
