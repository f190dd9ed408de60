import type { Interval } from "./bootstrap.ts";

export type ValueBounds = readonly [least: number, most: number];

/**
 * Confidence interval of the mean if all pairs agree. Inputs with other values may be missing from the
 * sample: with a share above `unseen`, this many agreeing pairs would be too unlikely. Exact, whereas a
 * resampled interval of equal values would be a point.
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

export const areNearlyEqual = (values: readonly number[]): boolean => {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return most - least <= 1e-12 * Math.max(Math.abs(least), Math.abs(most));
};
