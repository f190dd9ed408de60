import { create, insertMultiple, search } from "@orama/orama";
import { type Contender, stopWords } from "../contender.ts";
import { documentOf } from "./minisearch.ts";

/** Orama with its own English stemmer, without stop words, and with a boost of the name. */
export const oramaIndex = () =>
  create({
    schema: { id: "enum", name: "string", description: "string", parameters: "string" } as const,
    components: { tokenizer: { language: "english", stemming: true, stopWords: [...stopWords] } },
  });

export const oramaSearch = (index: ReturnType<typeof oramaIndex>, term: string, limit: number) =>
  search(index, { term, properties: ["name", "description", "parameters"], boost: { name: 2 }, limit });

export const orama: Contender = {
  name: "orama",
  open: async (tools) => {
    const index = oramaIndex();
    await insertMultiple(index, tools.map(documentOf), 1000);
    return {
      search: async (query, limit) => {
        const { hits } = await oramaSearch(index, query, limit);
        return hits.map(({ id, score }) => [id, score]);
      },
      bestAmong: async (query, ids) => {
        const { hits } = await search(index, {
          term: query,
          properties: ["name", "description", "parameters"],
          boost: { name: 2 },
          where: { id: { in: [...ids] } },
          limit: 1,
        });
        return hits[0]?.score ?? 0;
      },
    };
  },
};
