import type { ToolSpec } from "../words/spec.ts";
import { type IndexHit, type ToolIndex, toolIndex } from "./tool-index.ts";

/** Tools to pick from: found by words, or looked at one by one. */
export interface PickSource {
  /** Best first. */
  readonly search: (
    text: string,
    limit: number,
    isAllowed: (spec: ToolSpec) => boolean,
  ) => readonly IndexHit[];
  /** All of them, in the order of registration. */
  readonly specs: () => readonly ToolSpec[];
}

interface KeptIndex {
  readonly specs: readonly ToolSpec[];
  readonly index: ToolIndex;
}

const kept = new WeakMap<readonly unknown[], KeptIndex>();

/** A list of tools. Its index is kept as long as the list holds the same tools, and none of them can change. */
export const sourceOf = (list: readonly unknown[], specs: readonly ToolSpec[]): PickSource => {
  let index: ToolIndex | undefined;
  return {
    specs: () => specs,
    search: (text, limit, isAllowed) => {
      index ??= indexOf(list, specs);
      return index.search(text, { limit, isAllowed: (_, spec) => isAllowed(spec) });
    },
  };
};

const indexOf = (list: readonly unknown[], specs: readonly ToolSpec[]): ToolIndex => {
  const before = kept.get(list);
  if (before !== undefined && isSame(before.specs, specs)) return before.index;
  const index = toolIndex();
  for (const [place, spec] of specs.entries()) index.add(String(place), spec);
  if (specs.every(isSettled)) kept.set(list, { specs, index });
  return index;
};

const isSame = (before: readonly ToolSpec[], now: readonly ToolSpec[]): boolean =>
  before.length === now.length && before.every((spec, place) => spec === now[place]);

const settled = new WeakSet<ToolSpec>();

/** Whether nothing in it that is searched can change. */
const isSettled = (spec: ToolSpec): boolean => {
  if (settled.has(spec)) return true;
  if (!isFrozen(spec, deepest)) return false;
  settled.add(spec);
  return true;
};

/** Deeper than a schema is read. */
const deepest = 12;

const isFrozen = (value: unknown, depth: number): boolean => {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.isFrozen(value) && Object.values(value).every((one) => isFrozen(one, depth - 1));
};
