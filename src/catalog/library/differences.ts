import { canonicalJson } from "../../json/canonical-json.ts";
import { toPointer } from "../../json/pointer.ts";
import { shortened } from "../../schema/issues.ts";
import type { Difference } from "./binding.ts";

const most = 20;
const longest = 80;

/** Where two JSON values differ, the smallest parts that do. */
export const differences = (spec: unknown, library: unknown): readonly Difference[] => {
  const found: Difference[] = [];
  compare(spec, library, [], found);
  return found;
};

const compare = (one: unknown, other: unknown, path: readonly string[], found: Difference[]): void => {
  if (found.length >= most || isSame(one, other)) return;
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) {
    found.push({ pointer: toPointer(path), spec: show(one), library: show(other) });
    return;
  }
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    compare(own(one, key), own(other, key), [...path, key], found);
  }
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const own = (value: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined;

const isSame = (one: unknown, other: unknown): boolean => {
  if (one === undefined || other === undefined) return one === other;
  return canonicalJson(one) === canonicalJson(other);
};

/** A side that says nothing here is shown as such. */
export const show = (value: unknown): string =>
  value === undefined ? "(nothing)" : shortened(JSON.stringify(value), longest);
