import type { Embedder } from "../../src/registry/selection/embeddings/embedder.ts";
import type { CosineRange } from "../../src/registry/selection/embeddings/join-scores.ts";

const dimensions = 512;

/**
 * Hashes the trigrams of a text into 512 buckets. It only matches spelling and replaces a model without
 * weights: it measures the cost of joining, not the quality of embeddings.
 */
export const hashedEmbedder: Embedder & { readonly range: CosineRange } = {
  name: "hashed-trigrams-1",
  embed: async (texts) => texts.map(vectorOf),
  range: [0.2, 0.8],
};

const vectorOf = (text: string): Float32Array => {
  const vector = new Float32Array(dimensions);
  const letters = ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;
  for (let at = 0; at + 3 <= letters.length; at++) vector[bucketOf(letters.slice(at, at + 3))]! += 1;
  return vector;
};

/** FNV-1a. */
const bucketOf = (text: string): number => {
  let hash = 2_166_136_261;
  for (const letter of text) hash = Math.imul(hash ^ letter.codePointAt(0)!, 16_777_619);
  return (hash >>> 0) % dimensions;
};
