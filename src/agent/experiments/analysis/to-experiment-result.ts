import type { ExperimentPlan } from "../read-experiment.ts";
import type { Comparison, Difference, ExperimentResult, RunRecord } from "../result.ts";
import { fewestPairs } from "../statistics/sign-flips.ts";
import { compare, confidence } from "./compare.ts";
import { metricsOf } from "./metrics.ts";
import type { RunsByInput } from "./pairs.ts";
import { summarize } from "./summarize.ts";
import { toLabels, toOverall, toSentence, toVerdict } from "./verdict.ts";

/** From the runs to the result. Follows from them and the seed alone. */
export const conclude = (
  asked: Pick<
    ExperimentPlan,
    "agent" | "arms" | "inputs" | "repetitions" | "seed" | "concurrency" | "costOf"
  >,
  records: readonly RunRecord[],
  startedAt: string,
): ExperimentResult => {
  const { agent, inputs, repetitions, seed, concurrency } = asked;
  const names = asked.arms.map(({ name }) => name);
  const spoken = toLabels(names);
  const labelOf = (arm: string): string => spoken[names.indexOf(arm)]!;
  const metrics = metricsOf(records, asked.costOf);
  const byArm = Map.groupBy(records, ({ arm }) => arm);
  const [baseline, ...others] = names as [string, ...string[]];
  const runsOf = (arm: string): RunsByInput => Map.groupBy(byArm.get(arm) ?? [], ({ input }) => input);
  const ids = inputs.map(({ id }) => id);
  const fewest = fewestPairs((1 - confidence) / others.length);
  const comparisons = others.map((arm): Comparison => {
    const labels = { baseline: labelOf(baseline), arm: labelOf(arm) };
    const differences = compare({
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
    confidence,
    startedAt,
    inputs: inputs.map(({ id, input }) => ({ id, input })),
    arms: asked.arms.map((arm) => summarize(arm, labelOf(arm.name), byArm.get(arm.name) ?? [], metrics)),
    comparisons,
    verdict: toOverall(comparisons, labelOf),
    runs: records,
  };
};
