import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { freezeJson } from "../../base/json/freeze-json.ts";
import { ConfigurationError } from "../../types/errors.ts";
import { toExperimentResult } from "./analysis/to-experiment-result.ts";
import { discardingJournal, type ExperimentJournal, openExperimentJournal } from "./experiment-journal.ts";
import type { ExperimentResult, ExperimentRun } from "./experiment-result.ts";
import { type FinishedRun, measureRun } from "./measure-run.ts";
import type { ExperimentOptions, ExperimentProgress } from "./options.ts";
import { orderRuns, type PlannedRun, runKey } from "./order-runs.ts";
import { type ExperimentPlan, readExperiment } from "./read-experiment.ts";

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
          return { kind: "thrown", error: new Error("`run` gave no response of an agent.") };
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
