import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import * as Semaphore from "effect/Semaphore";
import type { LedgerEntry, LedgerQuery } from "../../words/ledger.ts";
import type { RunQuery, RunSummary } from "../../words/run-book.ts";
import { answeredBy } from "./answered-run.ts";
import type { PastQuestions } from "./past-questions.ts";

/** What a usage scorer reads; a `Haft` is one, and shows only the runs of its own principal. */
export interface UsageRuntime {
  runs(query?: RunQuery): Promise<readonly RunSummary[]>;
  log(query?: LedgerQuery): Promise<readonly LedgerEntry[]>;
}

/** Why the ledger could not be read. */
export class UsageFault extends Data.TaggedError("UsageFault")<{ readonly message: string }> {}

/** The newest runs, which every question looks at. */
const glance = 64;
/** Runs read before they are taken in together: whoever is interrupted goes on behind them. */
const batch = 32;
const atOnce = 8;
/** A run with more rows than this is read by its newest, and so without its question. */
const mostRows = 500;

/**
 * Takes in what runs that ended well were asked, each once. A look costs one short list as long as it holds a run that
 * is known, and never more than the newest `most` runs of the ledger.
 */
export const usageReader = (
  haft: UsageRuntime,
  past: PastQuestions,
  most: number,
): Effect.Effect<void, UsageFault> => {
  const known = new Set<string>();
  const turn = Semaphore.makeUnsafe(1);

  const fresh = Effect.fnUntraced(function* () {
    for (let limit = Math.min(glance, most); ; limit = Math.min(most, limit * 4)) {
      const runs = yield* asked(() => haft.runs({ status: "done", limit }));
      if (limit >= most || runs.some(({ runId }) => known.has(runId)))
        return runs.filter(({ runId, status }) => status === "done" && !known.has(runId)).slice(0, most);
    }
  });

  const readRun = ({ runId }: RunSummary) =>
    Effect.map(
      asked(() => haft.log({ runId, limit: mostRows })),
      (entries) => ({ runId, answered: answeredBy(entries.filter((entry) => entry.runId === runId)) }),
    );

  const remember = (runId: string): void => {
    known.add(runId);
    if (known.size > 2 * most)
      for (const oldest of [...known].slice(0, known.size - most)) known.delete(oldest);
  };

  const look = Effect.fnUntraced(function* () {
    const oldestFirst = (yield* fresh()).toReversed();
    for (let at = 0; at < oldestFirst.length; at += batch) {
      const read = yield* Effect.forEach(oldestFirst.slice(at, at + batch), readRun, { concurrency: atOnce });
      for (const { runId, answered } of read) {
        remember(runId);
        if (answered !== undefined) past.add(answered);
      }
    }
  });

  // One at a time: what two questions find new at once is taken in once.
  return turn.withPermits(1)(Effect.suspend(look));
};

const asked = <A>(ask: () => Promise<A>): Effect.Effect<A, UsageFault> =>
  Effect.tryPromise({
    try: ask,
    catch: (error) => new UsageFault({ message: error instanceof Error ? error.message : String(error) }),
  });
