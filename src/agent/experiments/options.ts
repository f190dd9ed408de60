import type { Agent, AgentResponse } from "../../types/agent.ts";
import type { Message } from "../../types/message.ts";
import type { Price } from "../cost.ts";
import type { RunOptions } from "../run-options.ts";
import type { LibrarySource } from "../to-library.ts";

/** One question that every arm of an experiment is asked. */
export interface ExperimentInput {
  /** What reports call it. */
  readonly id: string;
  readonly input: string;
  readonly context?: readonly Message[];
  /** Whatever `measure` wants to compare with. JSON. */
  readonly expect?: unknown;
}

/** What a `measure` says of one run. */
export interface RunScore {
  /** Whether the run did what it was asked; without it, whether its status is `done`. */
  readonly success?: boolean;
  readonly scores?: Readonly<Record<string, number>>;
}

/** Judges the response of one run of an experiment. */
export type Measure = (
  response: AgentResponse,
  input: ExperimentInput,
) => RunScore | undefined | Promise<RunScore | undefined>;

/** Runs an agent once. `haft.run` does; wrap it to give every run more options. */
export type RunOnce = (
  agent: Agent,
  input: string,
  options: Pick<RunOptions, "library" | "context" | "signal">,
) => Promise<AgentResponse>;

/** How far an experiment is. Told after each run. */
export interface ExperimentProgress {
  readonly done: number;
  readonly total: number;
  /** Until all is done, at the pace so far; `undefined` until there is one. */
  readonly etaMs: number | undefined;
  /** The run that just ended; none when the experiment starts. */
  readonly arm?: string;
  readonly input?: string;
  readonly success?: boolean;
}

/** The same agent with two or more libraries. The first arm is the baseline. */
export interface ExperimentOptions {
  readonly agent: Agent;
  readonly arms: Readonly<Record<string, LibrarySource>>;
  /** By arm, what its library is called in the result and in the report, such as its file. */
  readonly libraries?: Readonly<Record<string, string>>;
  readonly inputs: readonly (string | ExperimentInput)[];
  readonly run: RunOnce;
  /** How often each arm answers each input; 1 unless named. */
  readonly runs?: number;
  readonly measure?: Measure;
  /** Decides the order of runs and the draws of the statistics; 1 unless named. */
  readonly seed?: number;
  readonly price?: Price;
  /** Runs under way at once; 1 unless named, since runs that share a machine slow one another down. */
  readonly concurrency?: number;
  /** Path of a file to which each finished run is added, and from which a stopped experiment goes on. */
  readonly journal?: string;
  readonly onProgress?: (progress: ExperimentProgress) => void;
  readonly signal?: AbortSignal;
}
