import type { CostFunction } from "../../cost.ts";
import type { ExperimentRun, MetricUnit } from "../experiment-result.ts";
import { sum } from "../statistics/random-stream.ts";

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

const formatNumber = (value: number, decimals: number): string =>
  (Number(value.toFixed(decimals)) || 0)
    .toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    .replace("-", "−");

export const formatShort = (value: number): string => {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 1e-6) return value.toPrecision(2).replace("-", "−");
  const decimals = Math.max(0, Math.min(8, 2 - Math.floor(Math.log10(size))));
  const text = formatNumber(value, decimals);
  return decimals === 0 ? text : text.replace(/\.?0+$/, "");
};

export const formatAmount = (value: number, unit: MetricUnit): string => {
  if (unit === "share") return `${formatShort(value * 100)} %`;
  if (unit === "count" && Math.abs(value) >= 0.01) return formatShort(Number(value.toFixed(2)));
  if (unit !== "ms") return formatShort(value);
  const size = Math.abs(value);
  if (size < 1_000) return `${formatShort(value)} ms`;
  return size < 60_000 ? `${formatShort(value / 1_000)} s` : `${formatShort(value / 60_000)} min`;
};

/** With as many decimals as needed to avoid 0. */
export const formatRange = (one: number, other: number): string => {
  const [low, high] = [Math.min(one, other), Math.max(one, other)];
  const decimals = low >= 2 ? 0 : Math.min(6, Math.max(1, -Math.floor(Math.log10(Math.max(low, 1e-6)))));
  const [from, to] = [formatNumber(low, decimals), formatNumber(high, decimals)];
  return from === to ? from : `${from}–${to}`;
};

export const joinWords = (names: readonly string[], word: "and" | "or"): string =>
  names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}`;
