import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import * as Semaphore from "effect/Semaphore";
import type { LedgerEntry, LedgerQuery } from "../../../types/ledger.ts";
import type { RunQuery, RunSummary } from "../../../types/run-store.ts";
import { loadToolName, searchToolName } from "../../../types/tool-search.ts";
import { oneLine, toModelName } from "./one-line.ts";
import type { PastQuestion, QuestionHistory } from "./question-history.ts";

/** The source of a usage scorer. A `Haft` is one, and returns only the runs of its own principal. */
export interface UsageRuntime {
  runs(query?: RunQuery): Promise<readonly RunSummary[]>;
  log(query?: LedgerQuery): Promise<readonly LedgerEntry[]>;
}

export class UsageError extends Data.TaggedError("UsageFault")<{ readonly message: string }> {}

const recentRuns = 64;
/** A read that follows an interrupted one continues after its last batch. */
const readBatchSize = 32;
const readConcurrency = 8;
/** Of a longer run only the newest rows are read. */
const maxRowsPerRun = 500;

/** Reads each run once. Costs one short list while that contains a known run. */
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

  // Two concurrent queries must not add the same run.
  return turn.withPermits(1)(Effect.suspend(readNewRuns));
};

const fromRuntime = <A>(ask: () => Promise<A>): Effect.Effect<A, UsageError> =>
  Effect.tryPromise({
    try: ask,
    catch: (error) => new UsageError({ message: error instanceof Error ? error.message : String(error) }),
  });

/** No tool can have such a name. */
const modelRowPrefix = "model:";

const searchToolNames: ReadonlySet<string> = new Set([searchToolName, loadToolName]);

/**
 * Only the user's message and the model's own choices count: no nested calls, no calls after untrusted
 * content, and no run that began in the middle of a conversation.
 */
const toPastQuestion = (entries: readonly LedgerEntry[]): PastQuestion | undefined => {
  let question: string | undefined;
  let isTainted = false;
  const tools = new Set<string>();
  for (const entry of entries) {
    const { tool, ending, parentId, flow, taints = [] } = entry;
    const isQuestion = tool.startsWith(modelRowPrefix) && ending === "executed";
    if (isQuestion && question === undefined) {
      question = firstUserMessage(entry);
      if (question === undefined) return undefined;
    } else if (isQuestion && isTainted) break;
    else if (question !== undefined && ending === "executed" && parentId === undefined && flow !== "handoff")
      if (!tool.startsWith(modelRowPrefix) && !searchToolNames.has(tool)) tools.add(toModelName(tool));
    isTainted ||= taints.length > 0;
  }
  const text = question === undefined ? "" : oneLine(question);
  return text === "" || tools.size === 0 ? undefined : { text, tools: [...tools].sort() };
};

/** Earlier messages could contain untrusted content. */
const firstUserMessage = ({ input }: LedgerEntry): string | undefined => {
  try {
    const { messages, last } = JSON.parse(input);
    return messages === 2 && last.role === "user" && typeof last.content === "string"
      ? last.content
      : undefined;
  } catch {
    return undefined;
  }
};
