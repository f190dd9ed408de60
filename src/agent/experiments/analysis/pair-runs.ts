import type { ExperimentRun, InputPair } from "../experiment-result.ts";
import { geometricMean, mean } from "../statistics/random-stream.ts";
import type { Metric } from "./metrics.ts";

export interface PairedMetric {
  readonly metric: Metric;
  readonly scale: "ratio" | "difference";
  readonly pairs: readonly InputPair[];
  readonly differences: readonly (number | undefined)[];
}

export type RunsByInput = ReadonlyMap<string, readonly ExperimentRun[]>;

/** Averages the repetitions of an input, because they are not independent. */
export const pairRuns = (
  metric: Metric,
  inputs: readonly string[],
  baseline: RunsByInput,
  arm: RunsByInput,
): PairedMetric => {
  const values = (runs: RunsByInput): readonly (readonly number[])[] =>
    inputs.map((input) => (runs.get(input) ?? []).flatMap((record) => metric.of(record) ?? []));
  const [ours, theirs] = [values(baseline), values(arm)];
  const everything = [...ours, ...theirs].flat();
  const isTypical = metric.isTypical === true && everything.every((value) => value > 0);
  const center = (of: readonly number[]): number | undefined =>
    of.length === 0 ? undefined : isTypical ? geometricMean(of) : mean(of);
  const centers = inputs.map((input, index) => ({
    input,
    baseline: center(ours[index]!),
    arm: center(theirs[index]!),
  }));
  const isRatio = metric.isAmount && centers.every((each) => (each.baseline ?? 1) > 0 && (each.arm ?? 1) > 0);
  const pairs = centers.map((each): InputPair | undefined => {
    if (each.baseline === undefined || each.arm === undefined) return undefined;
    const change = isNearlyEqual(each.baseline, each.arm)
      ? 0
      : isRatio
        ? each.arm / each.baseline - 1
        : each.arm - each.baseline;
    return { input: each.input, baseline: each.baseline, arm: each.arm, change };
  });
  return {
    metric,
    scale: isRatio ? "ratio" : "difference",
    pairs: pairs.filter((each) => each !== undefined),
    differences: pairs.map((each) => each && (isRatio ? Math.log1p(each.change) : each.change)),
  };
};

/** Ignores floating-point noise, which the tests would treat as a difference. */
const isNearlyEqual = (one: number, other: number): boolean =>
  Math.abs(one - other) <= 1e-12 * Math.max(Math.abs(one), Math.abs(other));
