import type { ArmSummary, ExperimentRun, MetricSummary, ToolProfile } from "../experiment-result.ts";
import type { ExperimentArm } from "../read-experiment.ts";
import { mean, quantile } from "../statistics/sample.ts";
import type { Metric } from "./metrics.ts";

export const summarizeArm = (
  { name: arm, called }: Pick<ExperimentArm, "name" | "called">,
  label: string,
  records: readonly ExperimentRun[],
  metrics: readonly Metric[],
): ArmSummary => ({
  arm,
  label,
  ...(called === undefined ? {} : { library: called }),
  runs: records.length,
  successes: records.filter(({ success }) => success).length,
  metrics: Object.fromEntries(
    metrics.flatMap((metric) => {
      const values = records.flatMap((record) => metric.of(record) ?? []);
      return values.length === 0 ? [] : [[metric.name, distributionOf(values)]];
    }),
  ),
  tools: toolProfilesOf(records),
  reasons: reasonsOf(records),
});

const distributionOf = (values: readonly number[]): MetricSummary => {
  const sorted = values.toSorted((one, other) => one - other);
  return {
    runs: values.length,
    mean: mean(values),
    median: quantile(sorted, 0.5),
    p90: quantile(sorted, 0.9),
    least: sorted[0]!,
    most: sorted.at(-1)!,
  };
};

const toolProfilesOf = (records: readonly ExperimentRun[]): readonly ToolProfile[] => {
  const tools = new Map<string, { calls: number; failures: number }>();
  for (const { name, calls, failures } of records.flatMap((record) => record.tools)) {
    const before = tools.get(name) ?? { calls: 0, failures: 0 };
    tools.set(name, { calls: before.calls + calls, failures: before.failures + failures });
  }
  return [...tools]
    .map(([name, use]) => ({ name, ...use, callsPerRun: use.calls / records.length }))
    .sort((one, other) => other.calls - one.calls || (one.name < other.name ? -1 : 1));
};

const reasonsOf = (records: readonly ExperimentRun[]): ArmSummary["reasons"] => {
  const counts = new Map<string, number>();
  for (const { success, reason } of records) {
    if (success) continue;
    const why = reason ?? "no reason given";
    counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  return [...counts]
    .map(([reason, runs]) => ({ reason, runs }))
    .sort((one, other) => other.runs - one.runs || (one.reason < other.reason ? -1 : 1));
};
