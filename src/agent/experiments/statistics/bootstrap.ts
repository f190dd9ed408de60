import type { RandomSource } from "./random-stream.ts";
import { mean, quantile, sum } from "./sample.ts";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

const resamples = 4_999;

/**
 * Confidence interval of the mean of paired differences (symmetric bootstrap-t). Percentile and BCa intervals
 * are too narrow for 10 inputs.
 */
export const bootstrapInterval = (
  differences: readonly number[],
  confidence: number,
  random: RandomSource,
): Interval => {
  const size = differences.length;
  const center = mean(differences);
  const centered = differences.map((each) => each - center);
  const variance = sum(centered.map((each) => each * each)) / (size - 1);
  if (!(variance > 0)) return { low: center, high: center };
  const strays = new Float64Array(resamples);
  for (let at = 0; at < resamples; at++) {
    let total = 0;
    let squares = 0;
    for (let i = 0; i < size; i++) {
      const each = centered[Math.floor(random() * size)]!;
      total += each;
      squares += each * each;
    }
    const stray = total / size;
    // Adds one observation of the sample variance, because a resample of equal values has none.
    const spread = (Math.max(0, squares - total * stray) + variance) / size;
    strays[at] = Math.abs(stray) / Math.sqrt(spread / size);
  }
  const reach = quantile(strays.sort(), confidence) * Math.sqrt(variance / size);
  return { low: center - reach, high: center + reach };
};
