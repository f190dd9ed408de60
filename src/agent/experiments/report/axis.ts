import { formatAmount } from "../analysis/metrics.ts";
import type { Difference, MetricUnit } from "../experiment-result.ts";

export interface AxisTick {
  readonly at: number;
  readonly label: string;
}

export interface Axis {
  readonly place: (value: number) => number;
  readonly ticks: readonly AxisTick[];
}

const margin = 0.05;

/** Avoids spreading large arrays as arguments. */
const largest = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), 0);

const between = (low: number, high: number, value: number): number =>
  margin + (1 - 2 * margin) * ((value - low) / (high - low));

const negativeRatios = [-0.99, -0.9, -0.75, -0.5, -0.33, -0.2, -0.1, -0.05, -0.02, -0.01, 0];
const ratioTickValues = [...negativeRatios, 0.01, 0.02, 0.05, 0.11, 0.25, 0.5, 1, 3, 9, 99];

type Scale = Difference["scale"];

const spreadOf =
  (scale: Scale) =>
  (change: number): number =>
    scale === "ratio" ? Math.log1p(Math.max(change, -0.999)) : change;

/** Shared by metrics of the same unit, so that their intervals are comparable. */
export const intervalScale = (
  { scale, unit }: Difference,
  all: readonly Difference[],
): ((change: number) => number) => {
  const spread = spreadOf(scale);
  const alike = all.filter((each) => each.scale === scale && (scale === "ratio" || each.unit === unit));
  const ends = alike.flatMap(({ low, high }) => [low ?? 0, high ?? 0]);
  const reach = largest(ends.map((end) => Math.abs(spread(end)))) || 1;
  return (change) => between(-reach, reach, spread(change));
};

/** Centered at 0. Ratios use a logarithmic scale, so that half and double are equally far from it. */
export const changeAxis = ({ scale, unit, pairs, low, high }: Difference): Axis => {
  const spread = spreadOf(scale);
  const values = [...pairs.map(({ change }) => change), low ?? 0, high ?? 0].map((each) =>
    Math.abs(spread(each)),
  );
  const reach = largest(values) * 1.05 || 1;
  const place = (change: number): number => between(-reach, reach, spread(change));
  const candidates = scale === "ratio" ? ratioTickValues : roundSteps(-reach, reach);
  const ticks = candidates
    .filter((value) => Math.abs(spread(value)) <= reach)
    .map((value) => ({ at: place(value), label: toChange(value, scale, unit) }));
  const fromZero = ticks.toSorted((one, other) => Math.abs(one.at - 0.5) - Math.abs(other.at - 0.5));
  return { place, ticks: withoutOverlaps(fromZero) };
};

export const latencyAxis = (values: readonly number[]): Axis => {
  const low = Math.log(0.9 / largest(values.map((value) => 1 / value)));
  const high = Math.log(largest(values) * 1.1);
  const place = (value: number): number => between(low, high, Math.log(Math.max(value, Math.exp(low))));
  const decades = Array.from({ length: 8 }, (_, index) => 10 ** (index - 3));
  const minutes = [60_000, 120_000, 300_000, 600_000];
  const ticks = [1, 2, 5]
    .flatMap((factor) => decades.map((decade) => factor * decade).filter((value) => value < 60_000))
    .concat(minutes)
    .filter((value) => Math.log(value) >= low && Math.log(value) <= high)
    .map((value) => ({ at: place(value), label: formatAmount(value, "ms") }));
  return { place, ticks: withoutOverlaps(ticks) };
};

export const toChange = (change: number, scale: Scale, unit: MetricUnit): string => {
  const sign = change > 0 ? "+" : "";
  if (scale === "ratio") return `${sign}${rounded(change * 100)} %`;
  if (unit === "share") return `${sign}${rounded(change * 100)} pp`;
  return `${sign}${formatAmount(Number(change.toPrecision(2)), unit)}`;
};

const rounded = (value: number): string => {
  const decimals = Math.abs(value) < 1 && value !== 0 ? 1 : 0;
  return (Number(value.toFixed(decimals)) || 0).toLocaleString("en-US").replace("-", "−");
};

const roundSteps = (low: number, high: number): readonly number[] => {
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough)!;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
};

const withoutOverlaps = (ticks: readonly AxisTick[]): readonly AxisTick[] => {
  const kept: AxisTick[] = [];
  for (const tick of ticks) {
    if (kept.every(({ at }) => Math.abs(at - tick.at) >= 0.15)) kept.push(tick);
  }
  return kept;
};
