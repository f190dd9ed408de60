import type { evidenceWeights } from "../../../src/registry/selection/tool-index.ts";
import type { Asked } from "./gather.ts";
import { minimize } from "./minimize.ts";

export type Counts = Readonly<Record<keyof typeof evidenceWeights, number>>;

export const countNames = [
  "shared",
  "wish",
  "described",
  "named",
  "phrases",
  "meaning",
] as const satisfies readonly (keyof Counts)[];

export const pointsOf = (evidence: Asked["found"][number], counted: Counts): number =>
  countNames.reduce((sum, name) => sum + counted[name] * evidence[name], 0);

/** The best positions first; ties in the order of the results. */
export const orderOf = ({ found }: Asked, counted: Counts): readonly number[] => {
  const points = found.map((evidence) => pointsOf(evidence, counted));
  return [...found.keys()].sort((one, other) => points[other]! - points[one]! || one - other);
};

/** The fraction of the needs of a query within the first five. */
export const recallAt5 = (asked: Asked, counted: Counts): number => {
  const first = orderOf(asked, counted).slice(0, 5);
  return (
    asked.needs.filter((group) => group.some((place) => first.includes(place))).length / asked.needs.length
  );
};

/** A query of a large source has less weight, and the whole source more. */
export const weightsOf = (all: readonly Asked[], groupOf = (one: Asked) => one.source): readonly number[] => {
  const sizes = Map.groupBy(all, groupOf);
  return all.map((one) => 1 / Math.sqrt(sizes.get(groupOf(one))!.length));
};

/** Regularization. */
const restraint = 1e-3;

/**
 * Maximum likelihood fit: a tool's likelihood among the results is its softmax of the points. No weight is
 * negative: evidence never counts against a tool.
 */
export const fitCounts = (all: readonly Asked[]): Counts => {
  const weights = weightsOf(all);
  const useful = [...all.keys()].filter((at) => all[at]!.found.length > 1 && all[at]!.isRight.includes(true));
  const { rows, scales } = scaled(useful.flatMap((at) => all[at]!.found));
  const total = useful.reduce((sum, at) => sum + weights[at]!, 0);
  const width = countNames.length;
  const lists = useful.map((at) => {
    const { isRight } = all[at]!;
    const share = 1 / isRight.filter(Boolean).length;
    return { weight: weights[at]! / total, wanted: isRight.map((right) => (right ? share : 0)) };
  });
  const lossAt = (place: readonly number[]) => {
    let value = 0;
    const slope = place.map((one) => 2 * restraint * one);
    for (const one of place) value += restraint * one * one;
    let row = 0;
    for (const { weight, wanted } of lists) {
      const points = wanted.map((_, at) => {
        let sum = 0;
        for (let each = 0; each < width; each++) sum += place[each]! * rows[(row + at) * width + each]!;
        return sum;
      });
      const most = Math.max(...points);
      const powers = points.map((one) => Math.exp(one - most));
      const sum = powers.reduce((so, one) => so + one, 0);
      for (const [at, want] of wanted.entries()) {
        if (want > 0) value -= weight * want * (points[at]! - most - Math.log(sum));
        const over = weight * (powers[at]! / sum - want);
        for (let each = 0; each < width; each++) slope[each]! += over * rows[(row + at) * width + each]!;
      }
      row += wanted.length;
    }
    return { value, slope };
  };
  const fitted = minimize({ start: scales.map(() => 0.1), least: scales.map(() => 0), at: lossAt });
  return Object.fromEntries(countNames.map((name, at) => [name, fitted[at]! / scales[at]!])) as Counts;
};

/** Divides each feature by its deviation, so that regularization is the same for all. */
const scaled = (found: Asked["found"]) => {
  const scales = countNames.map((name) => {
    const mean = found.reduce((sum, one) => sum + one[name], 0) / found.length;
    return Math.sqrt(found.reduce((sum, one) => sum + (one[name] - mean) ** 2, 0) / found.length) + 1e-6;
  });
  const rows = new Float64Array(found.length * countNames.length);
  let at = 0;
  for (const one of found)
    for (const [each, name] of countNames.entries()) rows[at++] = one[name] / scales[each]!;
  return { rows, scales };
};
