import type { Agent, AgentResponse } from "../../types/agent.ts";
import type { Message } from "../../types/message.ts";
import type { Price } from "../cost.ts";
import type { RunOptions } from "../run-options.ts";
import type { LibrarySource } from "../to-library.ts";
import type { ExperimentArm, ExperimentPlan } from "./read-experiment.ts";
import { randomStream, shuffle } from "./statistics/random-stream.ts";

/** An input for every arm. */
export interface ExperimentInput {
  /** Name in reports. */
  readonly id: string;
  readonly input: string;
  readonly context?: readonly Message[];
  /** Expected result for `measure`. JSON. */
  readonly expect?: unknown;
}

/** Result of a `Measure`. */
export interface RunScore {
  /** Unless set: whether the status is `done`. */
  readonly success?: boolean;
  readonly scores?: Readonly<Record<string, number>>;
}

/** Judges the response of a run. */
export type Measure = (
  response: AgentResponse,
  input: ExperimentInput,
) => RunScore | undefined | Promise<RunScore | undefined>;

/** Runs an agent once, like `haft.run`. */
export type RunOnce = (
  agent: Agent,
  input: string,
  options: Pick<RunOptions, "library" | "context" | "signal">,
) => Promise<AgentResponse>;

/** Progress, reported after each run. */
export interface ExperimentProgress {
  readonly done: number;
  readonly total: number;
  /** Estimated time left; undefined before the first run ended. */
  readonly etaMs: number | undefined;
  /** Arm of the run that just ended. */
  readonly arm?: string;
  readonly input?: string;
  readonly success?: boolean;
}

/** Options of an experiment. The first arm is the baseline. */
export interface ExperimentOptions {
  readonly agent: Agent;
  readonly arms: Readonly<Record<string, LibrarySource>>;
  /** Library names by arm for the result and the report. */
  readonly libraries?: Readonly<Record<string, string>>;
  readonly inputs: readonly (string | ExperimentInput)[];
  readonly run: RunOnce;
  /** Runs per arm and input. Unless set: 1. */
  readonly runs?: number;
  readonly measure?: Measure;
  /** Seed for the order of runs and the statistics. Unless set: 1. */
  readonly seed?: number;
  readonly price?: Price;
  /** Parallel runs; these slow each other down on one machine. Unless set: 1. */
  readonly concurrency?: number;
  /** File to which finished runs are appended; a stopped experiment continues from it. */
  readonly journal?: string;
  readonly onProgress?: (progress: ExperimentProgress) => void;
  readonly signal?: AbortSignal;
}

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
