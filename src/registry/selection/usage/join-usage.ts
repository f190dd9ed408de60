import type { ToolSpec } from "../../words/spec.ts";
import type { RankedTool } from "../set-scorer.ts";
import { quoted, shownName } from "./one-line.ts";
import type { LikeQuestion } from "./past-questions.ts";

export interface UsageJoin {
  readonly specs: readonly ToolSpec[];
  /** What is raised, best first. */
  readonly ranked: readonly RankedTool[];
  readonly like: readonly LikeQuestion[];
  readonly weight: number;
  readonly limit: number;
}

/** What speaks for one tool: the like questions that it answered, likest first. */
interface Support {
  readonly likest: LikeQuestion;
  count: number;
  likeness: number;
}

/** One run is no habit: it may have been odd. */
const leastRuns = 2;

/**
 * Raises tools by their share of the like questions: `1 − (1 − score) · (1 − weight · share)`. So two signs that point
 * to one tool confirm each other, nothing ever falls, and what only was used before stays below the weight.
 */
export const joinUsage = ({ specs, ranked, like, weight, limit }: UsageJoin): readonly RankedTool[] => {
  const shares = sharesOf(like);
  if (shares.size === 0) return ranked.slice(0, limit);
  const before = new Map(ranked.map((one) => [one.spec, one]));
  const raised = new Map<ToolSpec, RankedTool>();
  for (const spec of specs) {
    const support = shares.get(shownName(spec.name));
    if (support !== undefined) raised.set(spec, raise(spec, before.get(spec), support, weight));
  }
  const others = [...raised.values()].filter(({ spec }) => !before.has(spec));
  return [...ranked.map((one) => raised.get(one.spec) ?? one), ...others]
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit);
};

interface Share extends Support {
  /** 0 to 1, and never 1: as if one more like question had been answered by another tool. */
  readonly share: number;
}

const sharesOf = (like: readonly LikeQuestion[]): ReadonlyMap<string, Share> => {
  const supports = new Map<string, Support>();
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
  const shares = new Map<string, Share>();
  for (const [tool, support] of supports)
    if (support.count >= leastRuns) shares.set(tool, { ...support, share: support.likeness / all });
  return shares;
};

const raise = (
  spec: ToolSpec,
  before: RankedTool | undefined,
  support: Share,
  weight: number,
): RankedTool => {
  const { share, count, likest } = support;
  const score = before?.score ?? 0;
  const reason = `answered ${quoted(likest.text)} before, and ${count - 1} like it`;
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
