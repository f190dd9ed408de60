import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { embeddingScorer } from "../../../src/registry/selection/embeddings/embedding-scorer.ts";
import { fileVectorStore } from "../../../src/registry/selection/embeddings/file-vector-store.ts";
import type { RankedTool } from "../../../src/registry/selection/pick-options.ts";
import { toolIndex } from "../../../src/registry/selection/tool-index.ts";
import type { ToolSpec } from "../../../src/types/tool.ts";
import type { Contender, Hit } from "../contender.ts";
import type { DataTool, SelectionData } from "../data.ts";
import { hashedEmbedder } from "../hashed-embedder.ts";
import { specOf } from "./haft.ts";

const lexicalHits = 200;
const results = fileURLToPath(new URL("../../results/", import.meta.url));

/** Cache of the vectors: a model needs a minute for all tools. */
export const vectorsFile = (name: string): string => {
  mkdirSync(results, { recursive: true });
  return `${results}${name}.vectors`;
};

/** The index joined with embedding similarity. Queries are embedded on demand. */
export const haftEmbeddings = async (
  { tools }: SelectionData,
  say: (text: string) => void,
): Promise<Contender> => {
  const cache = fileVectorStore({ file: vectorsFile("pick"), name: hashedEmbedder.name });
  const scorer = embeddingScorer({ ...hashedEmbedder, cache, timeoutMs: 600_000 });
  const specs = new Map(tools.map((tool) => [tool.id, specOf(tool)]));
  say("haft+embeddings: embedding the tools");
  const begin = performance.now();
  await scorer.prepare([...specs.values()]);
  say(`haft+embeddings: ${specs.size} tools took ${Math.round(performance.now() - begin)} ms`);
  return {
    name: "haft+embeddings",
    open: (some) => open(some, specs, scorer),
  };
};

const open = (
  tools: readonly DataTool[],
  specs: ReadonlyMap<string, ToolSpec>,
  scorer: ReturnType<typeof embeddingScorer>,
) => {
  const index = toolIndex();
  const ids = new Map<ToolSpec, string>();
  for (const { id } of tools) {
    ids.set(specs.get(id)!, id);
    index.add(id, specs.get(id)!);
  }
  const all = [...ids.keys()];
  const rank = async (query: string, some: readonly ToolSpec[], limit: number): Promise<readonly Hit[]> => {
    const allowed = some.length === all.length ? undefined : new Set(some);
    const lexical = index
      .search(query, {
        limit: lexicalHits,
        ...(allowed === undefined ? {} : { isAllowed: (_: string, spec: ToolSpec) => allowed.has(spec) }),
      })
      .map(({ spec, score }): RankedTool => ({ spec, score, reason: "" }));
    const ranking = await scorer.rank({ query, specs: some, lexical, limit }, new AbortController().signal);
    if (ranking.fallback !== undefined) throw new Error(ranking.fallback);
    return ranking.tools.map(({ spec, score }) => [ids.get(spec)!, score]);
  };
  return {
    search: (query: string, limit: number) => rank(query, all, limit),
    bestAmong: async (query: string, few: readonly string[]) =>
      (
        await rank(
          query,
          few.map((id) => specs.get(id)!),
          1,
        )
      )[0]?.[1] ?? 0,
  };
};
