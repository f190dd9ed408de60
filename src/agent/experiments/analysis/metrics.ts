import type { CostFunction } from "../../cost.ts";
import type { ExperimentRun, MetricUnit } from "../experiment-result.ts";
import { sum } from "../statistics/sample.ts";

export interface Metric {
  readonly name: string;
  readonly label: string;
  readonly unit: MetricUnit;
  readonly better: "more" | "less" | undefined;
  /** Compared as ratios to the baseline if no value is 0. */
  readonly isAmount: boolean;
  /** Uses the median, so that one stalled request does not dominate. */
  readonly isTypical?: boolean;
  readonly of: (record: ExperimentRun) => number | undefined;
}

const fixedMetrics: readonly Metric[] = [
  {
    name: "success",
    label: "success",
    unit: "share",
    better: "more",
    isAmount: false,
    of: ({ success }) => (success ? 1 : 0),
  },
  {
    name: "latency",
    label: "latency",
    unit: "ms",
    better: "less",
    isAmount: true,
    isTypical: true,
    of: ({ latencyMs }) => latencyMs ?? undefined,
  },
  {
    name: "rightLatency",
    label: "latency among right answers",
    unit: "ms",
    better: "less",
    isAmount: true,
    isTypical: true,
    of: ({ success, latencyMs }) => (success ? (latencyMs ?? undefined) : undefined),
  },
  {
    name: "tokens",
    label: "tokens",
    unit: "tokens",
    better: "less",
    isAmount: true,
    of: ({ usage }) =>
      usage?.inputTokens === undefined ? undefined : usage.inputTokens + usage.outputTokens,
  },
  {
    name: "turns",
    label: "turns",
    unit: "count",
    better: "less",
    isAmount: true,
    of: ({ turns }) => turns ?? undefined,
  },
  {
    name: "toolCalls",
    label: "tool calls",
    unit: "count",
    better: undefined,
    isAmount: true,
    of: ({ turns, tools }) => (turns === null ? undefined : sum(tools.map(({ calls }) => calls))),
  },
  {
    name: "toolFailures",
    label: "failed tool calls",
    unit: "count",
    better: "less",
    isAmount: false,
    of: ({ turns, tools }) => (turns === null ? undefined : sum(tools.map(({ failures }) => failures))),
  },
];

const toCostMetric = (costOf: CostFunction): Metric => ({
  name: "cost",
  label: "cost",
  unit: "cost",
  better: "less",
  isAmount: true,
  of: ({ usage }) => (usage === null ? undefined : costOf(usage)),
});

const toScoreMetric = (score: string): Metric => ({
  name: fixedMetrics.some(({ name }) => name === score) || score === "cost" ? `score:${score}` : score,
  label: score,
  unit: "score",
  better: "more",
  isAmount: false,
  of: ({ scores }) => (Object.hasOwn(scores, score) ? scores[score] : undefined),
});

export const metricsOf = (
  records: readonly ExperimentRun[],
  costOf: CostFunction | undefined,
): readonly Metric[] => {
  const scores = new Set(records.flatMap((record) => Object.keys(record.scores)));
  const [success, latency, rightLatency, tokens, ...rest] = fixedMetrics;
  const right = records.some((record) => !record.success && record.latencyMs !== null) ? [rightLatency!] : [];
  const cost = costOf === undefined ? [] : [toCostMetric(costOf)];
  const own = [...scores].sort().map(toScoreMetric);
  return [success!, latency!, ...right, tokens!, ...cost, ...rest, ...own];
};
