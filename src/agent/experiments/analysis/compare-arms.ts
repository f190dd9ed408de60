import type { Conclusion, Difference } from "../experiment-result.ts";
import {
  adjustedPValues,
  mean,
  minPairs,
  quantile,
  type RandomSource,
  randomStream,
  sum,
} from "../statistics/random-stream.ts";
import type { Metric } from "./metrics.ts";
import { type PairedMetric, pairRuns, type RunsByInput } from "./pair-runs.ts";

export const confidenceLevel = 0.95;

export interface ArmComparisonInput {
  readonly baseline: string;
  readonly arm: string;
  readonly inputs: readonly string[];
  readonly metrics: readonly Metric[];
  readonly runsOf: (arm: string) => RunsByInput;
  readonly comparisons: number;
  readonly seed: number;
}

export type MeasuredDifference = Omit<Difference, "sentence">;

/**
 * A difference requires both the adjusted test and the interval. Without a test result, the interval includes
 * 0.
 */
export const compareArms = (comparison: ArmComparisonInput): readonly MeasuredDifference[] => {
  const { baseline, arm, inputs, metrics, runsOf, comparisons, seed } = comparison;
  const level = (1 - confidenceLevel) / comparisons;
  const paired = metrics.map((metric) => pairRuns(metric, inputs, runsOf(baseline), runsOf(arm)));
  const adjusted = adjustedPValues(
    paired.map(({ differences }) => differences),
    randomStream(seed, `flips/${arm}`),
  );
  return paired.map((each, index) => {
    const { metric, scale, pairs } = each;
    const { name, label, unit } = metric;
    const pValue = Math.min(1, adjusted[index]! * comparisons);
    const sized = pairs.length < minPairs(level) ? withoutInterval(each) : withInterval(each, seed, arm);
    const isClear = sized.low !== null && (sized.low > 0 || sized.high! < 0);
    const conclusion: Conclusion =
      sized.low === null
        ? "too-few"
        : isClear && pValue <= 1 - confidenceLevel
          ? "difference"
          : "no-evidence";
    const estimateWithZero = conclusion === "no-evidence" ? includeZero(sized) : sized;
    const better =
      conclusion === "difference" ? betterOf(comparison, metric, estimateWithZero.estimate!) : null;
    return { metric: name, label, unit, scale, ...estimateWithZero, pValue, conclusion, better, pairs };
  });
};

type DifferenceEstimate = Pick<Difference, "estimate" | "low" | "high">;

const toReading = ({ scale }: PairedMetric, value: number): number =>
  scale === "ratio" ? Math.expm1(value) : value;

const withoutInterval = (paired: PairedMetric): DifferenceEstimate => ({
  estimate: estimateOf(paired),
  low: null,
  high: null,
});

const estimateOf = (paired: PairedMetric): number | null => {
  const known = paired.differences.filter((each) => each !== undefined);
  return known.length === 0 ? null : toReading(paired, mean(known));
};

const withInterval = (paired: PairedMetric, seed: number, arm: string): DifferenceEstimate => {
  const { metric, differences } = paired;
  const known = differences.filter((each) => each !== undefined);
  const [least, most] = metric.unit === "share" ? [-1, 1] : [-Infinity, Infinity];
  const { low, high } = areNearlyEqual(known)
    ? agreementInterval(known[0]!, known.length, boundsOf(metric, known[0]!), confidenceLevel)
    : bootstrapInterval(known, confidenceLevel, randomStream(seed, `bootstrap/${arm}/${metric.name}`));
  return {
    estimate: toReading(paired, mean(known)),
    low: Math.max(least, toReading(paired, low)),
    high: Math.min(most, toReading(paired, high)),
  };
};

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

type ValueBounds = readonly [least: number, most: number];

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

/** Shares are bounded. For amounts, unseen inputs are assumed to change no more than the seen ones. */
const boundsOf = ({ unit }: Metric, value: number): ValueBounds =>
  unit === "share" ? [-1, 1] : [-Math.abs(value), Math.abs(value)];

const includeZero = ({ estimate, low, high }: DifferenceEstimate): DifferenceEstimate => ({
  estimate,
  low: Math.min(low!, 0),
  high: Math.max(high!, 0),
});

const betterOf = (
  { baseline, arm }: ArmComparisonInput,
  { better }: Metric,
  estimate: number,
): string | null => {
  if (better === undefined) return null;
  return estimate > 0 === (better === "more") ? arm : baseline;
};
