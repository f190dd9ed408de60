import type { ExperimentInput } from "./options.ts";
import type { ExperimentArm, ExperimentPlan } from "./read-experiment.ts";
import { randomStream, shuffle } from "./statistics/random-stream.ts";

export interface PlannedRun {
  readonly arm: ExperimentArm;
  readonly input: ExperimentInput;
  readonly repetition: number;
}

/**
 * Orders runs by repetition and input, with the arms of an input adjacent and in random order, so that drift
 * over time favors no arm.
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

export const runKey = (arm: string, input: string, repetition: number): string =>
  JSON.stringify([arm, input, repetition]);
