import type { ToolSpec } from "../../words/spec.ts";
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

interface Joined {
  readonly at: number;
  readonly value: number;
}

/**
 * Words and likeness in one order: `(1 − weight) · words + weight · likeness`. Words count by their share of the best
 * score that the question got, likeness by where its cosine stands in the range. Scores are those of the best tool,
 * unshared, and fall from there as the order does: so what fits nothing scores low also when it is first.
 */
export const joinScores = (request: JoinRequest): readonly RankedTool[] => {
  const { specs, cosines, lexical, weight } = request;
  const words = new Map(lexical.map((one) => [one.spec, one]));
  const most = lexical.reduce((best, { score }) => Math.max(best, score), 0) || 1;
  const best: Joined[] = [];
  for (let at = 0; at < specs.length; at++) {
    const shared = (words.get(specs[at]!)?.score ?? 0) / most;
    insert(
      best,
      { at, value: (1 - weight) * shared + weight * likeness(cosines[at]!, request.range) },
      request.limit,
    );
  }
  const first = best[0];
  if (first === undefined || !(first.value > 0)) return [];
  const own = words.get(specs[first.at]!)?.score ?? 0;
  const certain = (1 - weight) * own + weight * likeness(cosines[first.at]!, request.range);
  return best
    .filter(({ value }) => value > 0)
    .map(({ at, value }) => {
      const cosine = cosines[at]!;
      const found = words.get(specs[at]!);
      return {
        spec: specs[at]!,
        score: Math.min(1, (certain * value) / first.value),
        reason: [...(found === undefined ? [] : [found.reason]), meaningOf(cosine, request.name)].join("; "),
        details: {
          words: found?.score ?? 0,
          cosine,
          ...(found?.details === undefined ? {} : { found: found.details }),
        },
      };
    });
};

const likeness = (cosine: number, [unrelated, same]: CosineRange): number =>
  Math.min(1, Math.max(0, (cosine - unrelated) / (same - unrelated)));

const meaningOf = (cosine: number, name: string): string => `${cosine.toFixed(2)} alike in meaning (${name})`;

/** Keeps the best in order; of equals, the one that came first. */
const insert = (best: Joined[], one: Joined, limit: number): void => {
  const last = best[best.length - 1];
  if (best.length === limit && last !== undefined && last.value >= one.value) return;
  let place = best.length;
  while (place > 0 && best[place - 1]!.value < one.value) place--;
  best.splice(place, 0, one);
  if (best.length > limit) best.pop();
};
