import { type CharSet, complement, hasOverlap, normalized } from "./char-set.ts";
import type { PatternNode } from "./read-pattern.ts";

interface PatternItem {
  readonly set: CharSet;
  readonly min: number;
  readonly max: number;
}

const maxSearchLength = 64;

const flatten = (node: PatternNode): readonly PatternNode[] =>
  node.kind === "sequence" ? node.parts.flatMap(flatten) : [node];

const toItem = (node: PatternNode): PatternItem | undefined => {
  if (node.kind === "repeat") {
    const body = flatten(node.body);
    const only = body.length === 1 ? toItem(body[0]!) : undefined;
    return only?.min === 1 && only.max === 1 ? { ...only, min: node.min, max: node.max } : undefined;
  }
  if (node.kind !== "class" || node.class.properties.length > 0) return undefined;
  const { ranges, negated } = node.class;
  return { set: negated ? complement(ranges) : normalized(ranges), min: 1, max: 1 };
};

/** No following item overlaps with the repetition. */
const endsInOnePlace = (items: readonly PatternItem[], at: number): boolean => {
  const run = items[at]!;
  if (run.min === run.max) return true;
  for (const next of items.slice(at + 1)) {
    if (hasOverlap(run.set, next.set)) return false;
    if (next.min > 0) return true;
  }
  return true;
};

/**
 * Whether a backtracking engine matches in linear time. Conservative: other patterns use the slower linear
 * engine.
 */
export const isLinear = (pattern: PatternNode): boolean => {
  const parts = [...flatten(pattern)];
  const anchored = parts[0]?.kind === "start";
  if (anchored) parts.shift();
  if (parts.at(-1)?.kind === "end") parts.pop();
  const items: PatternItem[] = [];
  for (const part of parts) {
    const item = toItem(part);
    if (item === undefined) return false;
    items.push(item);
  }
  if (anchored) return items.every((_, at) => endsInOnePlace(items, at));
  // An unanchored search restarts at every character.
  return (
    items.every(({ min, max }) => min === max) &&
    items.reduce((sum, { max }) => sum + max, 0) <= maxSearchLength
  );
};
