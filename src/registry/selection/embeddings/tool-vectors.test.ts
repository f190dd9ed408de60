import { describe, expect, it } from "vitest";
import {
  bakeBread,
  describedSpec,
  dimension,
  playSong,
  rankedNames,
  rankWithEmbedder,
  recordingEmbedder,
  signal,
  specs,
  vectorOf,
} from "../../../../test/kit/fake-embedder.ts";
import type { Embed } from "./embedder.ts";
import { embeddingScorer } from "./embedding-scorer.ts";
import type { VectorStore } from "./tool-vectors.ts";

describe("tool vectors", () => {
  it("are computed once in batches and only for new tools", async () => {
    const { embed, name, calls } = recordingEmbedder();
    const scorer = embeddingScorer({ embed, name, batchSize: 2 });
    await scorer.prepare(specs);
    expect(calls.map((texts) => texts.length)).toEqual([2, 1]);
    const request = { query: "bread", lexical: [], limit: 3 };
    await scorer.rank({ ...request, specs }, signal);
    const extra = describedSpec("sail_boat", "Sail a boat");
    await scorer.rank({ ...request, specs: [...specs, extra] }, signal);
    expect(calls.slice(2)).toEqual([["bread"], ["sail boat. Sail a boat"]]);
  });

  it("are cached by definition, so a copy is known and a changed description is not", async () => {
    const { embed, name, calls } = recordingEmbedder();
    const scorer = embeddingScorer({ embed, name });
    await scorer.prepare([bakeBread]);
    await scorer.prepare([{ ...bakeBread }]);
    expect(calls).toHaveLength(1);
    const changing = { ...bakeBread, description: "Bake cake" };
    await scorer.prepare([changing]);
    changing.description = "Bake pies";
    await scorer.prepare([changing]);
    expect(calls.slice(1)).toEqual([["bake bread. Bake cake"], ["bake bread. Bake pies"]]);
  });

  it("are requested once for concurrent queries", async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { embed, name, calls } = recordingEmbedder(async (texts) => {
      if (texts.length > 1) await gate;
      return texts.map(vectorOf);
    });
    const scorer = embeddingScorer({ embed, name });
    const rank = (query: string) => scorer.rank({ query, specs, lexical: [], limit: 1 }, signal);
    const answers = Promise.all([rank("bread"), rank("song"), scorer.prepare(specs)]);
    release();
    const [bread, song] = await answers;
    expect([rankedNames(bread), rankedNames(song)]).toEqual([["bake_bread"], ["play_song"]]);
    expect(calls.filter((texts) => texts.length === 3)).toHaveLength(1);
    expect(calls).toHaveLength(3);
  });

  it("of removed tools are evicted above the limit, and those in use are not", async () => {
    const { embed, name, calls } = recordingEmbedder();
    const scorer = embeddingScorer({ embed, name, maxVectors: 1 });
    const fresh = () => specs.map((spec) => ({ ...spec }));
    await scorer.prepare(fresh());
    await scorer.prepare(fresh());
    expect(calls).toHaveLength(1);
    await scorer.prepare([describedSpec("one", "One")]);
    await scorer.prepare(fresh());
    expect(calls.at(-1)).toHaveLength(3);
  });
});

describe("vector store", () => {
  const memory = (kept = new Map<string, Float32Array>()): VectorStore & { readonly kept: typeof kept } => ({
    kept,
    get: async (keys) =>
      new Map(keys.flatMap((key) => (kept.has(key) ? [[key, kept.get(key)!] as const] : []))),
    set: async (entries) => {
      for (const [key, vector] of entries) kept.set(key, vector);
    },
  });

  it("saves the next process from embedding tools and does not store queries", async () => {
    const cache = memory();
    const first = recordingEmbedder();
    await rankWithEmbedder({ ...pick(first), cache }, "some private bread");
    expect(cache.kept.size).toBe(3);
    const second = recordingEmbedder();
    await rankWithEmbedder({ ...pick(second), cache }, "bread");
    expect(second.calls).toEqual([["bread"]]);
  });

  it("separates vectors of different embedders", async () => {
    const cache = memory();
    await rankWithEmbedder({ ...pick(recordingEmbedder()), cache }, "bread");
    const other = recordingEmbedder();
    await rankWithEmbedder({ ...pick(other), name: "other", cache }, "bread");
    expect(other.calls).toHaveLength(2);
  });

  const broken: readonly (readonly [string, VectorStore["get"]])[] = [
    ["fails", () => Promise.reject(new Error("disk"))],
    [
      "returns vectors of another dimension",
      async (keys) => new Map(keys.map((key) => [key, new Float32Array(3)])),
    ],
    [
      "returns NaN",
      async (keys) => new Map(keys.map((key) => [key, new Float32Array(dimension).fill(Number.NaN)])),
    ],
    ["returns zeros", async (keys) => new Map(keys.map((key) => [key, new Float32Array(dimension)]))],
    ["returns undefined", async () => undefined as never],
    ["returns invalid vectors", async (keys) => new Map(keys.map((key) => [key, "0101" as never]))],
  ];
  it.each(broken)("that %s is ignored, and vectors are computed again", async (_, get) => {
    const fake = recordingEmbedder();
    const cache = { get, set: () => Promise.reject(new Error("full")) };
    const ranking = await rankWithEmbedder({ ...pick(fake), cache, range: [0, 1] }, "song");
    expect(ranking.fallback).toBeUndefined();
    expect(rankedNames(ranking)[0]).toBe("play_song");
    expect(fake.calls[1]).toHaveLength(3);
  });

  it("has longer vectors normalized", async () => {
    const cache = memory();
    await rankWithEmbedder({ ...pick(recordingEmbedder()), cache }, "bread");
    for (const vector of cache.kept.values()) for (const at of vector.keys()) vector[at]! *= 1000;
    const fake = recordingEmbedder();
    const { tools } = await rankWithEmbedder(
      { ...pick(fake), cache, range: [0, 1] },
      "play song. Play a song aloud",
    );
    expect(fake.calls).toHaveLength(1);
    expect(tools[0]).toMatchObject({ spec: playSong, reason: "1.00 similar in meaning (fake)" });
  });

  const pick = ({ embed, name }: { readonly embed: Embed; readonly name: string }) => ({ embed, name });
});
