import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import * as Semaphore from "effect/Semaphore";
import type { LedgerEntry, LedgerQuery } from "../../../types/ledger.ts";
import type { RunQuery, RunSummary } from "../../../types/run-store.ts";
import type { QuestionHistory } from "./question-history.ts";
import { toPastQuestion } from "./to-past-question.ts";

/** What a usage scorer reads; a `Haft` is one, and shows only the runs of its own principal. */
export interface UsageRuntime {
  runs(query?: RunQuery): Promise<readonly RunSummary[]>;
  log(query?: LedgerQuery): Promise<readonly LedgerEntry[]>;
}

/** Why the ledger could not be read. */
export class UsageError extends Data.TaggedError("UsageFault")<{ readonly message: string }> {}

/** The newest runs, which every question looks at. */
const recentRuns = 64;
/** Runs read before they are taken in together: whoever is interrupted goes on behind them. */
const readBatchSize = 32;
const readConcurrency = 8;
/** A run with more rows than this is read by its newest, and so without its question. */
const maxRowsPerRun = 500;

/**
 * Takes in what runs that ended well were asked, each once. A look costs one short list as long as it holds a run that
 * is known, and never more than the newest `most` runs of the ledger.
 */
export const usageReader = (
  haft: UsageRuntime,
  past: QuestionHistory,
  max: number,
): Effect.Effect<void, UsageError> => {
  const known = new Set<string>();
  const turn = Semaphore.makeUnsafe(1);

  const fresh = Effect.fnUntraced(function* () {
    for (let limit = Math.min(recentRuns, max); ; limit = Math.min(max, limit * 4)) {
      const runs = yield* fromRuntime(() => haft.runs({ status: "done", limit }));
      if (limit >= max || runs.some(({ runId }) => known.has(runId)))
        return runs.filter(({ runId, status }) => status === "done" && !known.has(runId)).slice(0, max);
    }
  });

  const readRun = ({ runId }: RunSummary) =>
    Effect.map(
      fromRuntime(() => haft.log({ runId, limit: maxRowsPerRun })),
      (entries) => ({ runId, answered: toPastQuestion(entries.filter((entry) => entry.runId === runId)) }),
    );

  const remember = (runId: string): void => {
    known.add(runId);
    if (known.size > 2 * max)
      for (const oldest of [...known].slice(0, known.size - max)) known.delete(oldest);
  };

  const readNewRuns = Effect.fnUntraced(function* () {
    const oldestFirst = (yield* fresh()).toReversed();
    for (let at = 0; at < oldestFirst.length; at += readBatchSize) {
      const read = yield* Effect.forEach(oldestFirst.slice(at, at + readBatchSize), readRun, {
        concurrency: readConcurrency,
      });
      for (const { runId, answered } of read) {
        remember(runId);
        if (answered !== undefined) past.add(answered);
      }
    }
  });

  // One at a time: what two questions find new at once is taken in once.
  return turn.withPermits(1)(Effect.suspend(readNewRuns));
};

const fromRuntime = <A>(ask: () => Promise<A>): Effect.Effect<A, UsageError> =>
  Effect.tryPromise({
    try: ask,
    catch: (error) => new UsageError({ message: error instanceof Error ? error.message : String(error) }),
  });
