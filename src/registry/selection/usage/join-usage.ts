import type { ToolSpec } from "../../../types/spec.ts";
import type { RankedTool } from "../set-scorer.ts";
import { quoteLine, toModelName } from "./one-line.ts";
import type { SimilarQuestion } from "./question-history.ts";

export interface UsageJoinRequest {
  readonly specs: readonly ToolSpec[];
  readonly ranked: readonly RankedTool[];
  readonly like: readonly SimilarQuestion[];
  readonly weight: number;
  readonly limit: number;
}

interface QuestionSupport {
  readonly likest: SimilarQuestion;
  count: number;
  likeness: number;
}

/** A single run may be an exception. */
const minRuns = 2;

/** `1 − (1 − score) · (1 − weight · share)`: no score falls, and usage alone stays below the weight. */
export const joinUsage = ({
  specs,
  ranked,
  like,
  weight,
  limit,
}: UsageJoinRequest): readonly RankedTool[] => {
  const shares = sharesOf(like);
  if (shares.size === 0) return ranked.slice(0, limit);
  const before = new Map(ranked.map((one) => [one.spec, one]));
  const raised = new Map<ToolSpec, RankedTool>();
  for (const spec of specs) {
    const support = shares.get(toModelName(spec.name));
    if (support !== undefined) raised.set(spec, raiseScore(spec, before.get(spec), support, weight));
  }
  const others = [...raised.values()].filter(({ spec }) => !before.has(spec));
  return [...ranked.map((one) => raised.get(one.spec) ?? one), ...others]
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit);
};

interface SupportShare extends QuestionSupport {
  /** Below 1: computed as if another tool had answered one more question. */
  readonly share: number;
}

const sharesOf = (like: readonly SimilarQuestion[]): ReadonlyMap<string, SupportShare> => {
  const supports = new Map<string, QuestionSupport>();
  let all = 1;
  for (const question of like) {
    all += question.likeness;
    for (const tool of question.tools) {
      const support = supports.get(tool);
      if (support === undefined)
        supports.set(tool, { likest: question, count: 1, likeness: question.likeness });
      else {
        support.count += 1;
        support.likeness += question.likeness;
      }
    }
  }
  const shares = new Map<string, SupportShare>();
  for (const [tool, support] of supports)
    if (support.count >= minRuns) shares.set(tool, { ...support, share: support.likeness / all });
  return shares;
};

const raiseScore = (
  spec: ToolSpec,
  before: RankedTool | undefined,
  support: SupportShare,
  weight: number,
): RankedTool => {
  const { share, count, likest } = support;
  const score = before?.score ?? 0;
  const reason = `answered ${quoteLine(likest.text)} before, and ${count - 1} like it`;
  return {
    spec,
    score: 1 - (1 - score) * (1 - weight * share),
    reason: before === undefined ? reason : `${before.reason}; ${reason}`,
    details: {
      words: score,
      usage: { share, questions: count, likeness: likest.likeness },
      ...(before?.details === undefined ? {} : { found: before.details }),
    },
  };
};
