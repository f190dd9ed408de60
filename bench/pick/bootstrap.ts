import type { DataQuery } from "./data.ts";
import { seeded } from "./seeded.ts";

/** The difference of two contenders over the same queries, with a 95 % confidence interval. */
export interface Difference {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
  readonly verdict: "wins" | "loses" | "no difference";
}

const resamples = 2000;

/** Draws queries within their source with replacement, and compares both contenders at the same queries. */
export const pairedBootstrap = (
  queries: readonly DataQuery[],
  ours: readonly number[],
  theirs: readonly number[],
): Readonly<Record<string, Difference>> => {
  const gaps = ours.map((value, index) => value - theirs[index]!);
  const bySource = Map.groupBy(gaps.keys(), (index) => queries[index]!.source);
  const drawn: Record<string, number[]> = {};
  const keep = (name: string, value: number): void => {
    drawn[name] ??= [];
    drawn[name].push(value);
  };
  const next = seeded(20_261_115);
  for (let round = 0; round <= resamples; round++) {
    let all = 0;
    let means = 0;
    for (const [source, indexes] of bySource) {
      let sum = 0;
      for (let at = 0; at < indexes.length; at++) {
        // The first round is the sample itself.
        const chosen = round === 0 ? at : Math.floor(next() * indexes.length);
        sum += gaps[indexes[chosen]!]!;
      }
      all += sum;
      means += sum / indexes.length;
      keep(source, sum / indexes.length);
    }
    keep("macro", means / bySource.size);
    keep("micro", all / gaps.length);
  }
  return Object.fromEntries(Object.entries(drawn).map(([name, values]) => [name, toDifference(values)]));
};

const toDifference = ([difference = 0, ...drawn]: readonly number[]): Difference => {
  const sorted = drawn.toSorted((one, other) => one - other);
  const low = sorted[Math.floor(0.025 * sorted.length)]!;
  const high = sorted[Math.ceil(0.975 * sorted.length) - 1]!;
  return { difference, low, high, verdict: low > 0 ? "wins" : high < 0 ? "loses" : "no difference" };
};
