import type { RunStatus } from "../../types/agent.ts";
import type { Usage } from "../../types/model.ts";

export interface ToolUse {
  readonly name: string;
  readonly calls: number;
  readonly failures: number;
}

/** One run of the agent. Values that it did not reach are `null`. */
export interface ExperimentRun {
  readonly arm: string;
  readonly input: string;
  /** Starts at 1. */
  readonly repetition: number;
  readonly success: boolean;
  readonly status: RunStatus | "threw";
  /** Why the run did not succeed. */
  readonly reason?: string;
  readonly latencyMs: number | null;
  readonly usage: Usage | null;
  readonly turns: number | null;
  readonly tools: readonly ToolUse[];
  readonly scores: Readonly<Record<string, number>>;
  /** Beginning of the answer, with secrets masked. */
  readonly answer: string;
}

export type MetricUnit = "share" | "ms" | "tokens" | "cost" | "count" | "score";

/** Distribution of a metric over the runs of an arm. */
export interface MetricSummary {
  readonly runs: number;
  readonly mean: number;
  readonly median: number;
  readonly p90: number;
  readonly least: number;
  readonly most: number;
}

/** Number of calls and failures of a tool in an arm. */
export interface ToolProfile {
  readonly name: string;
  readonly calls: number;
  readonly failures: number;
  readonly callsPerRun: number;
}

/** Results of one arm. */
export interface ArmSummary {
  readonly arm: string;
  /** Name used in sentences. */
  readonly label: string;
  /** Name of the arm's library, such as a file, if known. */
  readonly library?: string;
  readonly runs: number;
  readonly successes: number;
  /** Metrics that at least one run of this arm has. */
  readonly metrics: Readonly<Record<string, MetricSummary>>;
  readonly tools: readonly ToolProfile[];
  /** Most frequent first. */
  readonly reasons: readonly { readonly reason: string; readonly runs: number }[];
}

export interface InputPair {
  readonly input: string;
  readonly baseline: number;
  readonly arm: number;
  /** On the scale of the difference: 0.2 means 20 % or 0.2 more. */
  readonly change: number;
}

/** Whether a difference is proven, not proven, or cannot be tested with so few runs. */
export type Conclusion = "difference" | "no-evidence" | "too-few";

/** Comparison of one metric in two arms. */
export interface Difference {
  readonly metric: string;
  readonly label: string;
  readonly unit: MetricUnit;
  /** `ratio` is relative to the baseline: -0.3 is 30 % less. */
  readonly scale: "ratio" | "difference";
  readonly estimate: number | null;
  /** Confidence interval; contains 0 unless a difference was found. */
  readonly low: number | null;
  readonly high: number | null;
  /** Adjusted for all metrics and arms. */
  readonly pValue: number;
  readonly conclusion: Conclusion;
  /** The better arm, if a difference was found and the metric has a direction. */
  readonly better: string | null;
  readonly sentence: string;
  readonly pairs: readonly InputPair[];
}

/** Comparison of an arm with the baseline. */
export interface Comparison {
  readonly baseline: string;
  readonly arm: string;
  readonly differences: readonly Difference[];
  readonly verdict: string;
}

/** Result of an experiment. Plain JSON, frozen, and deterministic for the same runs. */
export interface ExperimentResult {
  readonly kind: "haft-experiment";
  readonly version: 1;
  readonly agent: string;
  readonly seed: number;
  readonly repetitions: number;
  readonly concurrency: number;
  readonly confidence: number;
  readonly startedAt: string;
  readonly inputs: readonly { readonly id: string; readonly input: string }[];
  /** The first arm is the baseline. */
  readonly arms: readonly ArmSummary[];
  readonly comparisons: readonly Comparison[];
  readonly verdict: string;
  readonly runs: readonly ExperimentRun[];
}
