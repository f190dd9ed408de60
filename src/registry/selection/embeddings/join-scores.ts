import type { ToolSpec } from "../../../types/tool.ts";
import type { RankedTool } from "../pick-options.ts";

/**
 * The cosines of unrelated texts and of texts with the same meaning; likeness grows from 0 to 1 between them.
 */
export type CosineRange = readonly [unrelated: number, same: number];

export interface JoinRequest {
  readonly specs: readonly ToolSpec[];
  readonly cosines: ArrayLike<number>;
  readonly lexical: readonly RankedTool[];
  readonly limit: number;
  readonly weight: number;
  readonly range: CosineRange;
  readonly name: string;
}

interface JoinedScore {
  readonly at: number;
  readonly value: number;
}

const minLikelihood = 0.01;
const logRange = Math.log1p(1 / minLikelihood);

/**
 * `(1 − weight) · words + weight · likeness`. Words count by the logarithm of their likelihood, so that they
 * decide when they are certain. The best tool is scored by its plain likelihood, so that a poor match scores
 * low even in first place.
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
  // Bounded, because the factor grows without limit as the weight approaches 1.
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
  `${cosine.toFixed(2)} similar in meaning (${name})`;

const insertSorted = (best: JoinedScore[], one: JoinedScore, limit: number): void => {
  const last = best[best.length - 1];
  if (best.length === limit && last !== undefined && last.value >= one.value) return;
  let place = best.length;
  while (place > 0 && best[place - 1]!.value < one.value) place--;
  best.splice(place, 0, one);
  if (best.length > limit) best.pop();
};
