import type { Comparison, Difference, ExperimentResult, ExperimentRun } from "../experiment-result.ts";
import type { ExperimentPlan } from "../read-experiment.ts";
import { minPairs } from "../statistics/sign-flips.ts";
import { compareArms, confidenceLevel } from "./compare-arms.ts";
import { metricsOf } from "./metrics.ts";
import type { RunsByInput } from "./pair-runs.ts";
import { summarizeArm } from "./summarize-arm.ts";
import { toLabels, toOverallVerdict, toSentence, toVerdict } from "./to-verdict.ts";

/** Computes the result from the runs and the seed alone. */
export const toExperimentResult = (
  plan: Pick<ExperimentPlan, "agent" | "arms" | "inputs" | "repetitions" | "seed" | "concurrency" | "costOf">,
  records: readonly ExperimentRun[],
  startedAt: string,
): ExperimentResult => {
  const { agent, inputs, repetitions, seed, concurrency } = plan;
  const names = plan.arms.map(({ name }) => name);
  const spoken = toLabels(names);
  const labelOf = (arm: string): string => spoken[names.indexOf(arm)]!;
  const metrics = metricsOf(records, plan.costOf);
  const byArm = Map.groupBy(records, ({ arm }) => arm);
  const [baseline, ...others] = names as [string, ...string[]];
  const runsOf = (arm: string): RunsByInput => Map.groupBy(byArm.get(arm) ?? [], ({ input }) => input);
  const ids = inputs.map(({ id }) => id);
  const fewest = minPairs((1 - confidenceLevel) / others.length);
  const comparisons = others.map((arm): Comparison => {
    const labels = { baseline: labelOf(baseline), arm: labelOf(arm) };
    const differences = compareArms({
      baseline,
      arm,
      inputs: ids,
      metrics,
      runsOf,
      comparisons: others.length,
      seed,
    }).map((found): Difference => ({ ...found, sentence: toSentence(found, labels, fewest) }));
    return { baseline, arm, differences, verdict: toVerdict(differences, fewest) };
  });
  return {
    kind: "haft-experiment",
    version: 1,
    agent: agent.name,
    seed,
    repetitions,
    concurrency,
    confidence: confidenceLevel,
    startedAt,
    inputs: inputs.map(({ id, input }) => ({ id, input })),
    arms: plan.arms.map((arm) => summarizeArm(arm, labelOf(arm.name), byArm.get(arm.name) ?? [], metrics)),
    comparisons,
    verdict: toOverallVerdict(comparisons, labelOf),
    runs: records,
  };
};
