import { dimensions, vocabulary } from "../vocabulary.ts";
import { type IndexData, type IndexedTool, type TermRow, termWeightOf } from "./index-data.ts";

/** Returns a vector of length one, or zero if no word is known. */
export const directionOf = (terms: readonly string[]): Float32Array => {
  const { find, addTo, rarityOf } = vocabulary();
  const sum = new Float32Array(dimensions);
  for (const stem of new Set(terms)) {
    const place = find(stem);
    if (place !== undefined) addTo(sum, place, rarityOf(stem));
  }
  return normalizeSum(sum);
};

export const directionLikeness = (
  index: IndexData,
  tool: IndexedTool,
  directions: readonly Float32Array[],
): number => {
  const own = toolDirection(index, tool);
  let nearest = 0;
  for (const direction of directions) nearest = Math.max(nearest, dotProduct(own, direction));
  return Math.min(1, nearest);
};

/** Term weights depend on the indexed tools, so the direction is computed again after a change. */
const toolDirection = (index: IndexData, tool: IndexedTool): Float32Array => {
  const { direction, directionAt } = tool;
  if (direction !== undefined && directionAt === index.version) return direction;
  const { addTo } = vocabulary();
  const sum = new Float32Array(dimensions);
  for (let at = 0; at < tool.headLength; at++) {
    const term = tool.headTermsAndPairs[at] as number;
    const { place } = index.rows[term] as TermRow;
    if (place !== undefined) addTo(sum, place, termWeightOf(index, term));
  }
  tool.direction = normalizeSum(sum);
  tool.directionAt = index.version;
  return tool.direction;
};

/** Four accumulators, because each addition waits for the previous one. */
const dotProduct = (left: Float32Array, right: Float32Array): number => {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let at = 0; at < dimensions; at += 4) {
    a += (left[at] as number) * (right[at] as number);
    b += (left[at + 1] as number) * (right[at + 1] as number);
    c += (left[at + 2] as number) * (right[at + 2] as number);
    d += (left[at + 3] as number) * (right[at + 3] as number);
  }
  return a + b + c + d;
};

const normalizeSum = (sum: Float32Array): Float32Array => {
  const square = dotProduct(sum, sum);
  if (square > 0) {
    const scale = 1 / Math.sqrt(square);
    for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] as number) * scale;
  }
  return sum;
};
