import type { confidenceWeights } from "../../../src/registry/selection/tool-index.ts";
import { type Counts, orderOf, pointsOf, weightsOf } from "./fit-counts.ts";
import type { Asked } from "./gather.ts";
import { minimize } from "./minimize.ts";

export type Trust = Readonly<Record<keyof typeof confidenceWeights, number>>;

const trustNames = ["weight", "described", "named", "meaning"] as const satisfies readonly (keyof Trust)[];

/** The first tools of a query: the evidence for the best, and the distance of the others. */
export interface Answered {
  readonly best: readonly number[];
  readonly behind: readonly number[];
  readonly isRight: readonly boolean[];
  readonly weight: number;
}

const first = 10;

/** Queries of all sources, and queries without a relevant tool as one more source. */
export const answeredOf = (
  own: readonly Asked[],
  none: readonly Asked[],
  counted: Counts,
): readonly Answered[] => {
  const without = new Set(none);
  const all = [...own, ...none];
  const weights = weightsOf(all, (one) => (without.has(one) ? "" : one.source));
  return all.flatMap((asked, at) => {
    const places = orderOf(asked, counted).slice(0, first);
    const best = asked.found[places[0]!];
    if (best === undefined) return [];
    const most = pointsOf(best, counted);
    return {
      best: trustNames.map((name) => best[name]),
      behind: places.map((place) => pointsOf(asked.found[place]!, counted) - most),
      isRight: places.map((place) => !without.has(asked) && asked.isRight[place]!),
      weight: weights[at]!,
    };
  });
};

/** Probability that the best tool is relevant. */
export const trustIn = (best: readonly number[], given: Trust): number =>
  1 / (1 + Math.exp(-trustNames.reduce((sum, name, at) => sum + given[name] * best[at]!, given.start)));

/** Each returned tool with its stated probability and whether it is relevant. */
export const sayings = (all: readonly Answered[], given: Trust) =>
  all.flatMap(({ best, behind, isRight, weight }) => {
    const trusted = trustIn(best, given);
    return behind.map((gap, at) => ({
      said: trusted * Math.exp(given.decay * gap),
      isRight: isRight[at]!,
      weight,
    }));
  });

/** Regularization. */
const restraint = 1e-5;
const certain = 1 - 1e-9;

/** Mean log loss of the stated probabilities. */
export const lossOf = (all: readonly Answered[], given: Trust): number => {
  let sum = 0;
  let total = 0;
  for (const { said, isRight, weight } of sayings(all, given)) {
    const likely = Math.min(certain, said);
    sum -= weight * (isRight ? Math.log(likely) : Math.log(1 - likely));
    total += weight;
  }
  return sum / total;
};

/** Fits trust and decay to the actual relevance. */
export const fitTrust = (all: readonly Answered[]): Trust => {
  const total = all.reduce((sum, { weight, behind }) => sum + weight * behind.length, 0);
  const lossAt = (place: readonly number[]) => {
    const given = toTrust(place);
    const numbers = place.slice(0, -1);
    const slope = [...numbers.map((one) => 2 * restraint * one), 0];
    let value = numbers.reduce((sum, one) => sum + restraint * one * one, 0);
    for (const { best, behind, isRight, weight } of all) {
      const trusted = trustIn(best, given);
      const part = weight / total;
      for (const [at, gap] of behind.entries()) {
        const said = Math.min(certain, trusted * Math.exp(given.decay * gap));
        value -= part * (isRight[at]! ? Math.log(said) : Math.log(1 - said));
        // In log space, where trust and decay are sums.
        const over = part * (isRight[at]! ? -1 : said / (1 - said));
        const inTrust = over * (1 - trusted);
        slope[0]! += inTrust;
        for (const [each, one] of best.entries()) slope[each + 1]! += inTrust * one;
        slope[slope.length - 1]! += over * gap;
      }
    }
    return { value, slope };
  };
  const zeros = trustNames.map(() => 0);
  return toTrust(
    minimize({ start: [0, ...zeros, 0.5], least: [Number.NEGATIVE_INFINITY, ...zeros, 0.05], at: lossAt }),
  );
};

const toTrust = ([start, weight, described, named, meaning, decay]: readonly number[]): Trust => ({
  start: start!,
  weight: weight!,
  described: described!,
  named: named!,
  meaning: meaning!,
  decay: decay!,
});
