import type { RunStatus } from "../../types/agent.ts";
import type { Usage } from "../../types/model.ts";

/** How often one tool was called in a run, and how often in vain. */
export interface ToolUse {
  readonly name: string;
  readonly calls: number;
  readonly failures: number;
}

/** One run of the agent. What it did not live to show is `null`. */
export interface ExperimentRun {
  readonly arm: string;
  readonly input: string;
  /** Counted from 1. */
  readonly repetition: number;
  readonly success: boolean;
  readonly status: RunStatus | "threw";
  /** Why it is no success. */
  readonly reason?: string;
  readonly latencyMs: number | null;
  readonly usage: Usage | null;
  readonly turns: number | null;
  readonly tools: readonly ToolUse[];
  readonly scores: Readonly<Record<string, number>>;
  /** The beginning of what was answered, secrets masked. */
  readonly answer: string;
}

export type MetricUnit = "share" | "ms" | "tokens" | "cost" | "count" | "score";

/** The distribution of one number over the runs of an arm. */
export interface MetricSummary {
  readonly runs: number;
  readonly mean: number;
  readonly median: number;
  readonly p90: number;
  readonly least: number;
  readonly most: number;
}

/** How often the runs of an arm called a tool, and how often that failed. */
export interface ToolProfile {
  readonly name: string;
  readonly calls: number;
  readonly failures: number;
  readonly callsPerRun: number;
}

/** What came of all runs of one arm of an experiment. */
export interface ArmSummary {
  readonly arm: string;
  /** What sentences call it. */
  readonly label: string;
  /** What its library is called, such as a file; where the experiment was told. */
  readonly library?: string;
  readonly runs: number;
  readonly successes: number;
  /** Only of metrics that some run of this arm has. */
  readonly metrics: Readonly<Record<string, MetricSummary>>;
  readonly tools: readonly ToolProfile[];
  /** Most frequent first. */
  readonly reasons: readonly { readonly reason: string; readonly runs: number }[];
}

/** One input in both arms: the mean over its repetitions. */
export interface InputPair {
  readonly input: string;
  readonly baseline: number;
  readonly arm: number;
  /** On the scale of the difference: 0.2 is 20 % more, or 0.2 more. */
  readonly change: number;
}

/** What a difference between two arms comes to: proven, not proven, or too few runs to say. */
export type Conclusion = "difference" | "no-evidence" | "too-few";

/** What two arms show of one metric. */
export interface Difference {
  readonly metric: string;
  readonly label: string;
  readonly unit: MetricUnit;
  /** `ratio` reads as a share of the baseline: -0.3 is 30 % less. */
  readonly scale: "ratio" | "difference";
  readonly estimate: number | null;
  /** Ends of the interval. It holds 0 wherever no difference was found. */
  readonly low: number | null;
  readonly high: number | null;
  /** Adjusted for all metrics and arms together. */
  readonly pValue: number;
  readonly conclusion: Conclusion;
  /** The arm that does better, where a difference was found and one way is better. */
  readonly better: string | null;
  readonly sentence: string;
  readonly pairs: readonly InputPair[];
}

/** One arm of an experiment held against the baseline. */
export interface Comparison {
  readonly baseline: string;
  readonly arm: string;
  readonly differences: readonly Difference[];
  readonly verdict: string;
}

/** What an experiment came to. Plain JSON, frozen; the same runs always make the same result. */
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
  /** The first is the baseline, with which each other one is compared. */
  readonly arms: readonly ArmSummary[];
  readonly comparisons: readonly Comparison[];
  readonly verdict: string;
  readonly runs: readonly ExperimentRun[];
}
