import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { ToolCancelledError } from "../../types/errors.ts";
import type { ExperimentResult } from "./experiment-result.ts";
import type { ExperimentOptions } from "./options.ts";
import { runExperiment } from "./run-experiment.ts";

/**
 * Runs an agent with several libraries on the same inputs and compares the results. Failed runs are results.
 */
export const experiment = async (options: ExperimentOptions): Promise<ExperimentResult> => {
  const { signal, onProgress } = Object(options) as ExperimentOptions;
  let finished = 0;
  const watch: ExperimentOptions["onProgress"] = (progress) => {
    finished = progress.done;
    onProgress?.(progress);
  };
  const isWatchable = onProgress === undefined || typeof onProgress === "function";
  const watched = isWatchable ? { ...options, onProgress: watch } : options;
  if (signal?.aborted) throw cancelledError(options, finished);
  const exit = await Effect.runPromiseExit(runExperiment(watched), signal === undefined ? {} : { signal });
  if (Exit.isSuccess(exit)) return exit.value;
  throw Cause.hasInterruptsOnly(exit.cause) ? cancelledError(options, finished) : Cause.squash(exit.cause);
};

const cancelledError = ({ journal }: ExperimentOptions, finished: number): ToolCancelledError =>
  new ToolCancelledError(
    "cancelled",
    `The experiment was cancelled after ${finished} ${finished === 1 ? "run" : "runs"}. ${
      journal === undefined
        ? "It has no journal, so its runs are lost."
        : "Start it again with the same journal to continue."
    }`,
  );
