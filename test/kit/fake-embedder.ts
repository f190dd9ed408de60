import { hashText } from "../../src/base/json/canonical-json.ts";
import type { Embed } from "../../src/registry/selection/embeddings/embedder.ts";
import {
  type EmbeddingScorerOptions,
  embeddingScorer,
} from "../../src/registry/selection/embeddings/embedding-scorer.ts";
import type { RankedTool } from "../../src/registry/selection/pick-options.ts";
import type { ToolSpec } from "../../src/types/tool.ts";
import { testRegistration } from "./test-registration.ts";

export const describedSpec = (name: string, description: string): ToolSpec =>
  testRegistration(name, { name, description }).tool.spec;

export const dimension = 1024;

/** Synonyms share one vector index; the index of other words is their hash. */
const meanings: Readonly<Record<string, string>> = { automobile: "car", vehicle: "car", rent: "hire" };
const wordIndex = (word: string): number =>
  Number.parseInt(hashText(meanings[word] ?? word).slice(0, 8), 16) % dimension;

export const vectorOf = (text: string): number[] => {
  const vector = Array.from({ length: dimension }, () => 0);
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) vector[wordIndex(word)]! += 1;
  return vector;
};

/** An embedder that records its calls. */
export const recordingEmbedder = (answer: Embed = (texts) => Promise.resolve(texts.map(vectorOf))) => {
  const calls: (readonly string[])[] = [];
  const embed: Embed = (texts, signal) => {
    calls.push(texts);
    return answer(texts, signal);
  };
  return { calls, embed, name: "fake" };
};

export const hireCar = describedSpec("hire_car", "Hire a car for some days");
export const bakeBread = describedSpec("bake_bread", "Bake bread in an oven");
export const playSong = describedSpec("play_song", "Play a song aloud");
export const specs = [bakeBread, hireCar, playSong];
export const rankedTool = (spec: ToolSpec, score: number): RankedTool => ({
  spec,
  score,
  reason: "shares words",
});
export const signal = new AbortController().signal;
export const rankedNames = (ranking: { readonly tools: readonly RankedTool[] }): readonly string[] =>
  ranking.tools.map(({ spec }) => spec.name);
export const rankWithEmbedder = (
  options: EmbeddingScorerOptions,
  query: string,
  lexical: readonly RankedTool[] = [],
) => embeddingScorer(options).rank({ query, specs, lexical, limit: 3 }, signal);
