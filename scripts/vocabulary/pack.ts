import type { Matrix } from "./matrix.ts";
import type { Neighbors } from "./neighbors.ts";

export interface Vocabulary {
  readonly stems: readonly string[];
  readonly rarities: readonly number[];
  /** Rows of length one. */
  readonly vectors: Matrix;
  readonly neighbors: Neighbors;
}

const clip = (number: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, Math.round(number)));

/**
 * Concatenates a byte per rarity, × 18; a signed byte per vector component, × 200, since hardly any exceeds
 * 0.63; two bytes per neighbor id, little-endian; a byte per neighbor similarity, × 255.
 */
export const packBytes = ({ rarities, vectors, neighbors: { ids, likeness } }: Vocabulary): Buffer => {
  const bytes = Buffer.alloc(rarities.length + vectors.values.length + ids.length * 3);
  let at = 0;
  for (const rarity of rarities) at = bytes.writeUInt8(clip(rarity * 18, 0, 255), at);
  for (const number of vectors.values) at = bytes.writeInt8(clip(number * 200, -127, 127), at);
  for (const id of ids) at = bytes.writeUInt16LE(id, at);
  for (const cosine of likeness) at = bytes.writeUInt8(clip(cosine * 255, 0, 255), at);
  return bytes;
};

/** The file that Haft loads. */
export const toSource = (vocabulary: Vocabulary): string =>
  `// Written by scripts/vocabulary/build.ts. Not edited by hand.
export const stems =
  "${vocabulary.stems.join(" ")}";
export const packed =
  "${packBytes(vocabulary).toString("base64")}";
`;
