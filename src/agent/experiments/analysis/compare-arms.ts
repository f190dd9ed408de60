import type { Conclusion, Difference } from "../result.ts";
import { agreementInterval, type Bounds, isAgreed } from "../statistics/agreement.ts";
import { bootstrapInterval } from "../statistics/bootstrap.ts";
import { randomOf } from "../statistics/random.ts";
import { mean } from "../statistics/sample.ts";
import { adjustedPValues, fewestPairs } from "../statistics/sign-flips.ts";
import type { Metric } from "./metrics.ts";
import { type Paired, pair, type RunsByInput } from "./pairs.ts";

export const confidence = 0.95;

export interface ComparedArms {
  readonly baseline: string;
  readonly arm: string;
  readonly inputs: readonly string[];
  readonly metrics: readonly Metric[];
  readonly runsOf: (arm: string) => RunsByInput;
  /** How many comparisons the experiment makes: together they may be wrong as often as one alone. */
  readonly comparisons: number;
  readonly seed: number;
}

/** What is found, before it is put into words. */
export type FoundDifference = Omit<Difference, "sentence">;

/**
 * A difference is found where both the test says so, for all metrics together, and the interval, for the metric by
 * itself. An interval never claims more than the test: where that finds nothing, 0 is inside.
 */
export const compare = (compared: ComparedArms): readonly FoundDifference[] => {
  const { baseline, arm, inputs, metrics, runsOf, comparisons, seed } = compared;
  const level = (1 - confidence) / comparisons;
  const paired = metrics.map((metric) => pair(metric, inputs, runsOf(baseline), runsOf(arm)));
  const adjusted = adjustedPValues(
    paired.map(({ differences }) => differences),
    randomOf(seed, `flips/${arm}`),
  );
  return paired.map((each, index) => {
    const { metric, scale, pairs } = each;
    const { name, label, unit } = metric;
    const pValue = Math.min(1, adjusted[index]! * comparisons);
    const sized = pairs.length < fewestPairs(level) ? unsized(each) : size(each, seed, arm);
    const isClear = sized.low !== null && (sized.low > 0 || sized.high! < 0);
    const conclusion: Conclusion =
      sized.low === null ? "too-few" : isClear && pValue <= 1 - confidence ? "difference" : "no-evidence";
    const held = conclusion === "no-evidence" ? holdingZero(sized) : sized;
    const better = conclusion === "difference" ? betterOf(compared, metric, held.estimate!) : null;
    return { metric: name, label, unit, scale, ...held, pValue, conclusion, better, pairs };
  });
};

type Sized = Pick<Difference, "estimate" | "low" | "high">;

const toReading = ({ scale }: Paired, value: number): number =>
  scale === "ratio" ? Math.expm1(value) : value;

const unsized = (paired: Paired): Sized => ({ estimate: estimateOf(paired), low: null, high: null });

const estimateOf = (paired: Paired): number | null => {
  const known = paired.differences.filter((each) => each !== undefined);
  return known.length === 0 ? null : toReading(paired, mean(known));
};

const size = (paired: Paired, seed: number, arm: string): Sized => {
  const { metric, differences } = paired;
  const known = differences.filter((each) => each !== undefined);
  const [least, most] = metric.unit === "share" ? [-1, 1] : [-Infinity, Infinity];
  const { low, high } = isAgreed(known)
    ? agreementInterval(known[0]!, known.length, boundsOf(metric, known[0]!), confidence)
    : bootstrapInterval(known, confidence, randomOf(seed, `bootstrap/${arm}/${metric.name}`));
  return {
    estimate: toReading(paired, mean(known)),
    low: Math.max(least, toReading(paired, low)),
    high: Math.min(most, toReading(paired, high)),
  };
};

/** A share has bounds. An amount has none: an input that was not seen is taken to change no more than those that were. */
const boundsOf = ({ unit }: Metric, value: number): Bounds =>
  unit === "share" ? [-1, 1] : [-Math.abs(value), Math.abs(value)];

const holdingZero = ({ estimate, low, high }: Sized): Sized => ({
  estimate,
  low: Math.min(low!, 0),
  high: Math.max(high!, 0),
});

const betterOf = ({ baseline, arm }: ComparedArms, { better }: Metric, estimate: number): string | null => {
  if (better === undefined) return null;
  return estimate > 0 === (better === "more") ? arm : baseline;
};
