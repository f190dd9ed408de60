import { hashText } from "../../src/base/json/canonical-json.ts";
import { cosine, type Embed } from "../../src/registry/selection/embeddings/embedder.ts";
import { queryParts } from "../../src/registry/selection/embeddings/embedding-scorer.ts";
import { fileVectorStore } from "../../src/registry/selection/embeddings/file-vector-store.ts";
import { joinScores } from "../../src/registry/selection/embeddings/join-scores.ts";
import { queryTextToEmbed, toolTextToEmbed } from "../../src/registry/selection/embeddings/tool-vectors.ts";
import { table } from "../numbers.ts";
import type { Contender } from "./contender.ts";
import { specOf } from "./contenders/haft.ts";
import { vectorsFile } from "./contenders/haft-embeddings.ts";
import type { SelectionData } from "./data.ts";
import { hashedEmbedder } from "./hashed-embedder.ts";
import { measuresOf } from "./metrics.ts";
import { share } from "./show.ts";

const weights = [0, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 1];
const inOneCall = 256;

/**
 * R@5 for each weight of similarity against words, by source; and for each source with the weight that is
 * best for all the others, as for an unknown catalogue.
 */
export const weightsText = async (
  { tools, queries }: SelectionData,
  lexicon: Contender,
  say: (text: string) => void,
): Promise<string> => {
  const { name, embed, range } = hashedEmbedder;
  const store = fileVectorStore({ file: vectorsFile("weights"), name });
  const vectors = await embedAll(
    [
      ...tools.map((tool) => toolTextToEmbed(specOf(tool))),
      ...queries.flatMap(({ query }) => queryParts(queryTextToEmbed(query))),
    ],
    { embed, store, say },
  );
  const sources = [...new Set(queries.map(({ source }) => source))];
  const bySource: number[][] = [];
  for (const source of sources) {
    say(`weights: ${source}`);
    const own = tools.filter((tool) => tool.source === source);
    const catalogue = await lexicon.open(own);
    const specs = own.map(specOf);
    const made = specs.map((spec) => vectors.get(toolTextToEmbed(spec))!);
    const idOf = new Map(specs.map((spec, place) => [spec, own[place]!.id]));
    const places = new Map(own.map(({ id }, place) => [id, place]));
    const sums = weights.map(() => 0);
    const some = queries.filter((query) => query.source === source);
    for (const query of some) {
      const asked = queryParts(queryTextToEmbed(query.query)).map((part) => vectors.get(part)!);
      const cosines = made.map((vector) => Math.max(...asked.map((part) => cosine(part, vector))));
      const hits = await catalogue.search(query.query, 200);
      const lexical = hits.map(([id, score]) => ({ spec: specs[places.get(id)!]!, score, reason: "" }));
      weights.forEach((weight, at) => {
        const joined = joinScores({ specs, cosines, lexical, limit: 10, weight, range, name });
        const ids = joined.map(({ spec }) => idOf.get(spec)!);
        sums[at]! += measuresOf(query, ids, []).r5;
      });
    }
    bySource.push(sums.map((sum) => sum / some.length));
  }
  const macro = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
  const rows = weights.map((weight, at) => {
    const values = bySource.map((each) => each[at]!);
    return [`weight ${weight}`, ...values.map(share), share(macro(values))];
  });
  const leftOut = bySource.map((own, left) => {
    const others = weights.map((_, at) =>
      macro(bySource.filter((_source, each) => each !== left).map((each) => each[at]!)),
    );
    return own[others.indexOf(Math.max(...others))]!;
  });
  return table([
    [`${lexicon.name}, R@5`, ...sources, "macro"],
    ...rows,
    ["chosen without the source", ...leftOut.map(share), share(macro(leftOut))],
  ]);
};

const embedAll = async (
  texts: readonly string[],
  {
    embed,
    store,
    say,
  }: {
    readonly embed: Embed;
    readonly store: ReturnType<typeof fileVectorStore>;
    readonly say: (text: string) => void;
  },
): Promise<ReadonlyMap<string, Float32Array>> => {
  const all = [...new Set(texts)];
  const kept = await store.get(all.map(hashText));
  const vectors = new Map(
    all.flatMap((text) => (kept.has(hashText(text)) ? [[text, kept.get(hashText(text))!]] : [])),
  );
  // Batches texts of similar length: a model takes as long for each as for the longest.
  const left = all.filter((text) => !vectors.has(text)).sort((one, other) => one.length - other.length);
  for (let at = 0; at < left.length; at += inOneCall) {
    const some = left.slice(at, at + inOneCall);
    const made = await embed(some, new AbortController().signal);
    for (const [place, text] of some.entries()) vectors.set(text, Float32Array.from(made[place]!));
    say(`weights: ${at + some.length} of ${left.length} texts`);
  }
  if (left.length > 0)
    await store.set(new Map(left.map((text) => [hashText(text), vectors.get(text)!] as const)));
  return vectors as ReadonlyMap<string, Float32Array>;
};
