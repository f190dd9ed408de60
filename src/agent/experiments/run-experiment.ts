import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { freezeJson } from "../../base/json/json-value.ts";
import { ConfigurationError, ToolCancelledError } from "../../types/errors.ts";
import { compareArms, confidenceLevel } from "./analysis/compare-arms.ts";
import { type Metric, metricsOf } from "./analysis/metrics.ts";
import type { RunsByInput } from "./analysis/pair-runs.ts";
import { toLabels, toOverallVerdict, toSentence, toVerdict } from "./analysis/to-verdict.ts";
import { discardingJournal, type ExperimentJournal, openExperimentJournal } from "./experiment-journal.ts";
import type {
  ArmSummary,
  Comparison,
  Difference,
  ExperimentResult,
  ExperimentRun,
  MetricSummary,
  ToolProfile,
} from "./experiment-result.ts";
import { type FinishedRun, measureRun } from "./measure-run.ts";
import {
  type ExperimentOptions,
  type ExperimentProgress,
  orderRuns,
  type PlannedRun,
  runKey,
} from "./options.ts";
import { type ExperimentArm, type ExperimentPlan, readExperiment } from "./read-experiment.ts";
import { mean, minPairs, quantile } from "./statistics/random-stream.ts";

const cancelTimeout = "5 seconds";

/** Runs what the journal lacks and compares the arms. Finished runs stay in the journal. */
export const runExperiment = (
  options: ExperimentOptions,
): Effect.Effect<ExperimentResult, ConfigurationError> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock;
    const now = new Date(clock.currentTimeMillisUnsafe()).toISOString();
    const asked = yield* attempt(() => readExperiment(options));
    const { journal: path } = asked;
    const journal = yield* attempt(() =>
      path === undefined ? discardingJournal(now) : openExperimentJournal(path, asked, now),
    );
    const records = new Map(journal.finished);
    const plan = orderRuns(asked);
    const toDo = plan.filter((planned) => !records.has(plannedRunKey(planned)));
    const reportProgress = progressReporter(asked, plan.length, records, clock);
    yield* reportProgress();
    yield* Effect.forEach(
      toDo,
      (planned) =>
        Effect.tap(runPlanned(asked, planned, journal, records), (record) => reportProgress(record)),
      { concurrency: asked.concurrency, discard: true },
    );
    const inOrder = plan.map((planned) => records.get(plannedRunKey(planned))!);
    return freezeJson(toExperimentResult(asked, inOrder, journal.startedAt));
  });

const runPlanned = (
  plan: ExperimentPlan,
  planned: PlannedRun,
  journal: ExperimentJournal,
  records: Map<string, ExperimentRun>,
): Effect.Effect<ExperimentRun, ConfigurationError> =>
  Effect.gen(function* () {
    const end = yield* runAndTime(plan, planned);
    const record = yield* Effect.promise(() => measureRun(planned, end, plan.measure));
    yield* attempt(() => journal.add(record));
    records.set(plannedRunKey(planned), record);
    return record;
  });

const runAndTime = ({ agent, run }: ExperimentPlan, { arm, input }: PlannedRun): Effect.Effect<FinishedRun> =>
  Effect.flatMap(Clock.Clock, (clock) =>
    Effect.callback<FinishedRun>((resume) => {
      const { library } = arm;
      const { context } = input;
      const stop = new AbortController();
      const since = clock.monotonicTimeNanosUnsafe();
      const options = { library, signal: stop.signal, ...(context === undefined ? {} : { context }) };
      const ended = (async () => run(agent, input.input, options))().then(
        (response): FinishedRun => {
          const latencyMs = Number(clock.monotonicTimeNanosUnsafe() - since) / 1_000_000;
          if (typeof response?.status === "string") return { kind: "response", response, latencyMs };
          return { kind: "thrown", error: new Error("`run` did not return an agent's response.") };
        },
        (error): FinishedRun => ({ kind: "thrown", error }),
      );
      ended.then((end) => resume(Effect.succeed(end)));
      return Effect.suspend(() => {
        stop.abort();
        return Effect.ignore(
          Effect.timeout(
            Effect.promise(() => ended),
            cancelTimeout,
          ),
        );
      });
    }),
  );

const progressReporter = (
  { onProgress }: ExperimentPlan,
  total: number,
  records: ReadonlyMap<string, ExperimentRun>,
  clock: Clock.Clock,
): ((record?: ExperimentRun) => Effect.Effect<void>) => {
  const before = records.size;
  const since = clock.currentTimeMillisUnsafe();
  return (record) =>
    Effect.sync(() => {
      if (onProgress === undefined) return;
      const done = records.size;
      const perRun = (clock.currentTimeMillisUnsafe() - since) / (done - before);
      const progress: ExperimentProgress = {
        done,
        total,
        etaMs: done === before ? undefined : Math.round(perRun * (total - done)),
        ...(record && { arm: record.arm, input: record.input, success: record.success }),
      };
      try {
        onProgress(progress);
      } catch {
        // A progress listener cannot stop the experiment.
      }
    });
};

const plannedRunKey = ({ arm, input, repetition }: PlannedRun): string =>
  runKey(arm.name, input.id, repetition);

const attempt = <A>(body: () => A): Effect.Effect<A, ConfigurationError> =>
  Effect.try({
    try: body,
    catch: (error) =>
      error instanceof ConfigurationError ? error : new ConfigurationError("invalid_config", String(error)),
  });

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

const summarizeArm = (
  { name: arm, called }: Pick<ExperimentArm, "name" | "called">,
  label: string,
  records: readonly ExperimentRun[],
  metrics: readonly Metric[],
): ArmSummary => ({
  arm,
  label,
  ...(called === undefined ? {} : { library: called }),
  runs: records.length,
  successes: records.filter(({ success }) => success).length,
  metrics: Object.fromEntries(
    metrics.flatMap((metric) => {
      const values = records.flatMap((record) => metric.of(record) ?? []);
      return values.length === 0 ? [] : [[metric.name, distributionOf(values)]];
    }),
  ),
  tools: toolProfilesOf(records),
  reasons: reasonsOf(records),
});

const distributionOf = (values: readonly number[]): MetricSummary => {
  const sorted = values.toSorted((one, other) => one - other);
  return {
    runs: values.length,
    mean: mean(values),
    median: quantile(sorted, 0.5),
    p90: quantile(sorted, 0.9),
    least: sorted[0]!,
    most: sorted.at(-1)!,
  };
};

const toolProfilesOf = (records: readonly ExperimentRun[]): readonly ToolProfile[] => {
  const tools = new Map<string, { calls: number; failures: number }>();
  for (const { name, calls, failures } of records.flatMap((record) => record.tools)) {
    const before = tools.get(name) ?? { calls: 0, failures: 0 };
    tools.set(name, { calls: before.calls + calls, failures: before.failures + failures });
  }
  return [...tools]
    .map(([name, use]) => ({ name, ...use, callsPerRun: use.calls / records.length }))
    .sort((one, other) => other.calls - one.calls || (one.name < other.name ? -1 : 1));
};

const reasonsOf = (records: readonly ExperimentRun[]): ArmSummary["reasons"] => {
  const counts = new Map<string, number>();
  for (const { success, reason } of records) {
    if (success) continue;
    const why = reason ?? "no reason given";
    counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  return [...counts]
    .map(([reason, runs]) => ({ reason, runs }))
    .sort((one, other) => other.runs - one.runs || (one.reason < other.reason ? -1 : 1));
};

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
