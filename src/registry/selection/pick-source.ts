import type { ToolSpec } from "../../types/spec.ts";
import { type IndexHit, type ToolIndex, toolIndex } from "./tool-index.ts";

export interface PickSource {
  readonly search: (
    text: string,
    limit: number,
    isAllowed: (spec: ToolSpec) => boolean,
  ) => readonly IndexHit[];
  readonly specs: () => readonly ToolSpec[];
}

interface CachedIndex {
  readonly specs: readonly ToolSpec[];
  readonly index: ToolIndex;
}

const indexCache = new WeakMap<readonly unknown[], CachedIndex>();

/** The index is cached while the list contains the same immutable tools. */
export const pickSource = (list: readonly unknown[], specs: readonly ToolSpec[]): PickSource => {
  let index: ToolIndex | undefined;
  return {
    specs: () => specs,
    search: (text, limit, isAllowed) => {
      index ??= cachedIndexOf(list, specs);
      return index.search(text, { limit, isAllowed: (_, spec) => isAllowed(spec) });
    },
  };
};

const cachedIndexOf = (list: readonly unknown[], specs: readonly ToolSpec[]): ToolIndex => {
  const before = indexCache.get(list);
  if (before !== undefined && isSame(before.specs, specs)) return before.index;
  const index = toolIndex();
  for (const [place, spec] of specs.entries()) index.add(String(place), spec);
  if (specs.every(isImmutableSpec)) indexCache.set(list, { specs, index });
  return index;
};

const isSame = (before: readonly ToolSpec[], now: readonly ToolSpec[]): boolean =>
  before.length === now.length && before.every((spec, place) => spec === now[place]);

const immutableSpecs = new WeakSet<ToolSpec>();

const isImmutableSpec = (spec: ToolSpec): boolean => {
  if (immutableSpecs.has(spec)) return true;
  if (!isDeeplyFrozen(spec, maxFrozenDepth)) return false;
  immutableSpecs.add(spec);
  return true;
};

/** Schemas are not read deeper than this. */
const maxFrozenDepth = 12;

const isDeeplyFrozen = (value: unknown, depth: number): boolean => {
  if (typeof value !== "object" || value === null) return true;
  return (
    depth > 0 && Object.isFrozen(value) && Object.values(value).every((one) => isDeeplyFrozen(one, depth - 1))
  );
};
