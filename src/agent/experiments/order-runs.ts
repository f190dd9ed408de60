import type { ExperimentInput } from "./options.ts";
import type { ExperimentArm, ExperimentPlan } from "./read-experiment.ts";
import { randomStream, shuffle } from "./statistics/random-stream.ts";

export interface PlannedRun {
  readonly arm: ExperimentArm;
  readonly input: ExperimentInput;
  /** Counted from 1. */
  readonly repetition: number;
}

/**
 * Every input once in every arm, then all of it again. An input's arms run right after one another, in an order drawn
 * for each: what changes with time, such as a busy provider or a warm cache, then favors no arm.
 */
export const orderRuns = (
  plan: Pick<ExperimentPlan, "arms" | "inputs" | "repetitions" | "seed">,
): readonly PlannedRun[] => {
  const random = randomStream(plan.seed, "order");
  const repetitions = Array.from({ length: plan.repetitions }, (_, index) => index + 1);
  return repetitions.flatMap((repetition) =>
    shuffle(plan.inputs, random).flatMap((input) =>
      shuffle(plan.arms, random).map((arm): PlannedRun => ({ arm, input, repetition })),
    ),
  );
};

/** One name per run, whatever characters ids contain. */
export const runKey = (arm: string, input: string, repetition: number): string =>
  JSON.stringify([arm, input, repetition]);
