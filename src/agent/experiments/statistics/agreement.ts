import type { Interval } from "./bootstrap.ts";

/** What a single pair may show at least and at most. */
export type ValueBounds = readonly [least: number, most: number];

/**
 * Where the mean lies when every pair showed the same. Inputs that would show something else may not be among these: if their
 * share were larger than `unseen`, so many in agreement would be rarer than the confidence allows, whatever they show within
 * the bounds. This is exact; a resampled interval of equal values would be a point.
 */
export const agreementInterval = (
  value: number,
  size: number,
  [least, most]: ValueBounds,
  confidence: number,
): Interval => {
  const unseen = 1 - (1 - confidence) ** (1 / size);
  return { low: value + unseen * (least - value), high: value + unseen * (most - value) };
};

/** Equal but for the last digits of what was computed. */
export const areNearlyEqual = (values: readonly number[]): boolean => {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return most - least <= 1e-12 * Math.max(Math.abs(least), Math.abs(most));
};
