import { hashText } from "../../../base/json/canonical-json.ts";

export type RandomSource = () => number;

/** Up to this many pairs, all sign flips are tested; beyond it, a random sample. */
const maxExactPairs = 13;
const sampledFlips = 9_999;

/** Minimum number of pairs with which the strongest result can reach the level. */
export const minPairs = (level: number): number => Math.ceil(1 - Math.log2(level));

/**
 * P-values of paired differences, adjusted for multiple metrics (step-down maxT after Westfall and Young). If
 * two arms are equal, the signs of an input's differences are exchangeable; flipping all metrics together
 * preserves their correlation. One list per metric, one entry per input; `undefined` for an input without a
 * pair.
 */
export const adjustedPValues = (
  differences: readonly (readonly (number | undefined)[])[],
  random: RandomSource,
): readonly number[] => {
  const metrics = differences.map(standardized);
  const size = differences[0]?.length ?? 0;
  const observed = metrics.map((values) => Math.abs(total(values)));
  const strongestFirst = observed.map((_, at) => at).sort((one, other) => observed[other]! - observed[one]!);
  const reached = observed.map(() => 0);
  const signs = new Float64Array(size);
  const isExact = size <= maxExactPairs;
  const flips = isExact ? 2 ** size : sampledFlips;
  for (let flip = 0; flip < flips; flip++) {
    if (isExact) for (let i = 0; i < size; i++) signs[i] = (flip >> i) & 1 ? 1 : -1;
    else drawSigns(signs, random);
    let most = 0;
    for (let rank = strongestFirst.length - 1; rank >= 0; rank--) {
      const metric = strongestFirst[rank]!;
      most = Math.max(most, Math.abs(flippedSum(metrics[metric]!, signs)));
      // Tolerates floating-point noise.
      if (most >= observed[metric]! - 1e-9) reached[metric]! += 1;
    }
  }
  const values = observed.map(() => 1);
  let least = 0;
  for (const metric of strongestFirst) {
    const count = reached[metric]!;
    least = Math.max(least, isExact ? count / flips : (count + 1) / (flips + 1));
    values[metric] = least;
  }
  return values;
};

/** Normalized, so that metrics of any unit are comparable. */
const standardized = (values: readonly (number | undefined)[]): Float64Array => {
  const length = Math.sqrt(values.reduce<number>((squares, value = 0) => squares + value * value, 0));
  return Float64Array.from(values, (value = 0) => (length === 0 ? 0 : value / length));
};

const total = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

const flippedSum = (values: Float64Array, signs: Float64Array): number => {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]! * signs[i]!;
  return sum;
};

const drawSigns = (signs: Float64Array, random: RandomSource): void => {
  let bits = 0;
  for (let i = 0; i < signs.length; i++) {
    if (i % 30 === 0) bits = Math.floor(random() * 2 ** 30);
    signs[i] = bits & 1 ? 1 : -1;
    bits >>= 1;
  }
};

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export const mean = (values: readonly number[]): number => sum(values) / values.length;

/** All values must be above 0. */
export const geometricMean = (values: readonly number[]): number => Math.exp(mean(values.map(Math.log)));

export const quantile = (sorted: ArrayLike<number>, share: number): number => {
  const at = share * (sorted.length - 1);
  const below = Math.floor(at);
  const low = sorted[below]!;
  return low + (at - below) * ((sorted[below + 1] ?? low) - low);
};

/** A deterministic stream per seed and purpose, so that purposes do not affect each other. */
export const randomStream = (seed: number, purpose: string): RandomSource => {
  const digest = hashText(`${seed}/${purpose}`);
  const word = (at: number): number => Number.parseInt(digest.slice(at * 8, at * 8 + 8), 16) | 0;
  // Chris Doty-Humphrey's small fast counting generator (sfc32).
  let [a, b, c, counter] = [word(0), word(1), word(2), 1];
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 12; i++) next();
  return next;
};

export const shuffle = <Item>(items: readonly Item[], random: RandomSource): readonly Item[] => {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [copy[i], copy[j]] = [copy[j]!, copy[i]!];
  }
  return copy;
};
