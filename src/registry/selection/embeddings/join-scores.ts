import type { ToolSpec } from "../../../types/spec.ts";
import type { RankedTool } from "../set-scorer.ts";

/** Cosines between which a model's likeness grows: of texts that have nothing to do with each other, and of those that say the same. */
export type CosineRange = readonly [unrelated: number, same: number];

export interface JoinRequest {
  readonly specs: readonly ToolSpec[];
  /** In the order of the specs. */
  readonly cosines: ArrayLike<number>;
  readonly lexical: readonly RankedTool[];
  readonly limit: number;
  /** 0 to 1: how much likeness counts against words. */
  readonly weight: number;
  readonly range: CosineRange;
  readonly name: string;
}

interface JoinedScore {
  readonly at: number;
  readonly value: number;
}

/** A likelihood below this is as good as none. */
const minLikelihood = 0.01;
/** From there to certain, as a logarithm. */
const logRange = Math.log1p(1 / minLikelihood);

/**
 * Words and likeness in one order: `(1 − weight) · words + weight · likeness`. Words count by the logarithm of their
 * likelihood, so that they decide where they are sure and likeness where they are not; likeness counts by where its
 * cosine stands in the range. The best scores by its likelihood and its likeness, so that what fits nothing scores low
 * also when it is first, and the others fall from there as likelihoods do.
 */
export const joinScores = (request: JoinRequest): readonly RankedTool[] => {
  const { specs, cosines, lexical, weight, range } = request;
  const words = new Map(lexical.map((one) => [one.spec, one]));
  const likelihoodOf = (at: number): number => words.get(specs[at]!)?.score ?? 0;
  const joined = (at: number, ofWords: number): number =>
    (1 - weight) * ofWords + weight * cosineLikeness(cosines[at]!, range);
  const best: JoinedScore[] = [];
  for (let at = 0; at < specs.length; at++)
    insertSorted(
      best,
      { at, value: joined(at, Math.log1p(likelihoodOf(at) / minLikelihood) / logRange) },
      request.limit,
    );
  const first = best[0];
  if (first === undefined || !(first.value > 0)) return [];
  const certain = joined(first.at, likelihoodOf(first.at));
  // A step in words alone is then one in likelihood; where likeness is nearly all, it must not fall without end.
  const fall = logRange / Math.max(0.5, 1 - weight);
  return best
    .filter(({ value }) => value > 0)
    .map(({ at, value }) => {
      const cosine = cosines[at]!;
      const found = words.get(specs[at]!);
      return {
        spec: specs[at]!,
        score: certain * Math.exp(fall * (value - first.value)),
        reason: [...(found === undefined ? [] : [found.reason]), cosineText(cosine, request.name)].join("; "),
        details: {
          words: found?.score ?? 0,
          cosine,
          ...(found?.details === undefined ? {} : { found: found.details }),
        },
      };
    });
};

const cosineLikeness = (cosine: number, [unrelated, same]: CosineRange): number =>
  Math.min(1, Math.max(0, (cosine - unrelated) / (same - unrelated)));

const cosineText = (cosine: number, name: string): string =>
  `${cosine.toFixed(2)} alike in meaning (${name})`;

/** Keeps the best in order; of equals, the one that came first. */
const insertSorted = (best: JoinedScore[], one: JoinedScore, limit: number): void => {
  const last = best[best.length - 1];
  if (best.length === limit && last !== undefined && last.value >= one.value) return;
  let place = best.length;
  while (place > 0 && best[place - 1]!.value < one.value) place--;
  best.splice(place, 0, one);
  if (best.length > limit) best.pop();
};
