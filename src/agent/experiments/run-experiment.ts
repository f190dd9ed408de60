import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { freezeJson } from "../json/freeze-json.ts";
import { ConfigurationError } from "../words/errors.ts";
import { conclude } from "./analysis/conclude.ts";
import { type Journal, noJournal, openJournal } from "./journal.ts";
import { type MeasuredRun, measureRun } from "./measure.ts";
import type { ExperimentOptions, ExperimentProgress } from "./options.ts";
import { orderRuns, type PlannedRun, runKey } from "./order.ts";
import { type ExperimentPlan, readExperiment } from "./read-experiment.ts";
import type { ExperimentResult, RunRecord } from "./result.ts";

/** How long a cancelled run may take to end before it is left alone. */
const patience = "5 seconds";

/**
 * Runs what the journal does not have yet and compares the arms. Interrupted, it cancels the runs under way and waits
 * for them; what was finished stays in the journal.
 */
export const runExperiment = (
  options: ExperimentOptions,
): Effect.Effect<ExperimentResult, ConfigurationError> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock;
    const now = new Date(clock.currentTimeMillisUnsafe()).toISOString();
    const asked = yield* attempt(() => readExperiment(options));
    const { journal: path } = asked;
    const journal = yield* attempt(() =>
      path === undefined ? noJournal(now) : openJournal(path, asked, now),
    );
    const records = new Map(journal.finished);
    const plan = orderRuns(asked);
    const toDo = plan.filter((planned) => !records.has(keyOf(planned)));
    const tell = teller(asked, plan.length, records, clock);
    yield* tell();
    yield* Effect.forEach(
      toDo,
      (planned) => Effect.tap(oneRun(asked, planned, journal, records), (record) => tell(record)),
      { concurrency: asked.concurrency, discard: true },
    );
    const inOrder = plan.map((planned) => records.get(keyOf(planned))!);
    return freezeJson(conclude(asked, inOrder, journal.startedAt));
  });

const oneRun = (
  asked: ExperimentPlan,
  planned: PlannedRun,
  journal: Journal,
  records: Map<string, RunRecord>,
): Effect.Effect<RunRecord, ConfigurationError> =>
  Effect.gen(function* () {
    const end = yield* runOnce(asked, planned);
    const record = yield* Effect.promise(() => measureRun(planned, end, asked.measure));
    yield* attempt(() => journal.add(record));
    records.set(keyOf(planned), record);
    return record;
  });

const runOnce = ({ agent, run }: ExperimentPlan, { arm, input }: PlannedRun): Effect.Effect<MeasuredRun> =>
  Effect.flatMap(Clock.Clock, (clock) =>
    Effect.callback<MeasuredRun>((resume) => {
      const { library } = arm;
      const { context } = input;
      const stop = new AbortController();
      const since = clock.monotonicTimeNanosUnsafe();
      const options = { library, signal: stop.signal, ...(context === undefined ? {} : { context }) };
      const ended = (async () => run(agent, input.input, options))().then(
        (response): MeasuredRun => {
          const latencyMs = Number(clock.monotonicTimeNanosUnsafe() - since) / 1_000_000;
          if (typeof response?.status === "string") return { kind: "response", response, latencyMs };
          return { kind: "thrown", error: new Error("`run` gave no response of an agent.") };
        },
        (error): MeasuredRun => ({ kind: "thrown", error }),
      );
      ended.then((end) => resume(Effect.succeed(end)));
      return Effect.suspend(() => {
        stop.abort();
        return Effect.ignore(
          Effect.timeout(
            Effect.promise(() => ended),
            patience,
          ),
        );
      });
    }),
  );

const teller = (
  { onProgress }: ExperimentPlan,
  total: number,
  records: ReadonlyMap<string, RunRecord>,
  clock: Clock.Clock,
): ((record?: RunRecord) => Effect.Effect<void>) => {
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
        // Whoever watches cannot end what is watched.
      }
    });
};

const keyOf = ({ arm, input, repetition }: PlannedRun): string => runKey(arm.name, input.id, repetition);

const attempt = <A>(body: () => A): Effect.Effect<A, ConfigurationError> =>
  Effect.try({
    try: body,
    catch: (error) =>
      error instanceof ConfigurationError ? error : new ConfigurationError("invalid_config", String(error)),
  });
