import { agent } from "../../src/agent/agent.ts";
import type { ExperimentResult, ExperimentRun } from "../../src/agent/experiments/experiment-result.ts";
import { toExperimentResult } from "../../src/agent/experiments/run-experiment.ts";

/** A successful run with the given changes. */
export const experimentRun = (
  arm: string,
  input: string,
  more: Partial<ExperimentRun> = {},
): ExperimentRun => ({
  arm,
  input,
  repetition: 1,
  success: true,
  status: "done",
  latencyMs: 100,
  usage: { inputTokens: 10, outputTokens: 5 },
  turns: 1,
  tools: [],
  scores: {},
  answer: "Forty-two.",
  ...more,
});

const helper = agent({ name: "helper", instructions: "Help." });

/** The result of handwritten runs, with their arms and inputs. */
export const experimentResult = (
  records: readonly ExperimentRun[],
  textOf: (id: string) => string = (id) => `Question ${id}`,
): ExperimentResult => {
  const unique = (names: readonly string[]): readonly string[] => [...new Set(names)];
  return toExperimentResult(
    {
      agent: helper,
      arms: unique(records.map(({ arm }) => arm)).map((name) => ({ name, library: {} })),
      inputs: unique(records.map(({ input }) => input)).map((id) => ({ id, input: textOf(id) })),
      repetitions: 1,
      seed: 1,
      concurrency: 1,
      costOf: undefined,
    },
    records,
    "2026-11-16T00:00:00.000Z",
  );
};
