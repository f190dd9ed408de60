import { hashText } from "../../src/json/hash.ts";
import type { Embed } from "../../src/selection/embeddings/embedder.ts";
import {
  type EmbeddingScorerOptions,
  embeddingScorer,
} from "../../src/selection/embeddings/embedding-scorer.ts";
import type { RankedTool } from "../../src/selection/set-scorer.ts";
import type { ToolSpec } from "../../src/words/spec.ts";
import { registered } from "./registered.ts";

export const specOf = (name: string, description: string): ToolSpec =>
  registered(name, { name, description }).tool.spec;

export const dimension = 1024;

/** Words that mean the same have one place in a vector; others fall where their hash says. */
const meanings: Readonly<Record<string, string>> = { automobile: "car", vehicle: "car", rent: "hire" };
const placeOf = (word: string): number =>
  Number.parseInt(hashText(meanings[word] ?? word).slice(0, 8), 16) % dimension;

export const vectorOf = (text: string): number[] => {
  const vector = Array.from({ length: dimension }, () => 0);
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) vector[placeOf(word)]! += 1;
  return vector;
};

/** An embedder that says what it was asked. */
export const recorded = (answer: Embed = (texts) => Promise.resolve(texts.map(vectorOf))) => {
  const calls: (readonly string[])[] = [];
  const embed: Embed = (texts, signal) => {
    calls.push(texts);
    return answer(texts, signal);
  };
  return { calls, embed, name: "fake" };
};

export const hire = specOf("hire_car", "Hire a car for some days");
export const bake = specOf("bake_bread", "Bake bread in an oven");
export const play = specOf("play_song", "Play a song aloud");
export const specs = [bake, hire, play];
export const found = (spec: ToolSpec, score: number): RankedTool => ({ spec, score, reason: "shares words" });
export const signal = new AbortController().signal;
export const namesOf = (ranking: { readonly tools: readonly RankedTool[] }): readonly string[] =>
  ranking.tools.map(({ spec }) => spec.name);
export const ask = (options: EmbeddingScorerOptions, query: string, lexical: readonly RankedTool[] = []) =>
  embeddingScorer(options).rank({ query, specs, lexical, limit: 3 }, signal);
