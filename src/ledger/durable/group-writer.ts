import * as Effect from "effect/Effect";
import { LedgerError } from "../../types/errors.ts";
import { ledgerUnavailable, toLedgerError } from "../ledger-errors.ts";
import { KeyMissingError } from "./chain/chain-keys.ts";
import { releaseChain } from "./chain/chains.ts";
import { type Database, type Script, StaleCacheError } from "./database.ts";
import { dialectOf } from "./dialect.ts";
import { type CachedState, createEntryCache } from "./entry-state.ts";
import { Transaction, type WriterContext } from "./transaction.ts";

/** Must refuse before it changes anything. */
export interface Operation<A> {
  /** Read together for the whole batch. */
  readonly entryIds: readonly string[];
  /** Probably new, so not read first: a unique index refuses duplicates. */
  readonly areNew?: boolean;
  /** The run whose lease it needs. */
  readonly claims?: ((transaction: Transaction) => string | undefined) | undefined;
  readonly run: (transaction: Transaction) => Script<A>;
  /** Runs without queries if possible, and returns whether it did. Most calls take this path. */
  readonly atOnce?: (transaction: Transaction) => boolean;
  readonly full?: boolean | undefined;
  /** Retained on failure and retried with the next commit. */
  readonly isOutcome?: boolean;
  readonly discard?: () => void;
}

export interface GroupWriter {
  readonly write: <A>(make: () => Operation<A>) => Effect.Effect<A, LedgerError>;
  /** Written before the next operation, or after a few milliseconds. */
  readonly writeSoon: (make: () => Operation<unknown>, onFailure: (error: LedgerError) => void) => void;
  readonly end: () => Promise<void>;
}

interface QueuedWrite {
  readonly operation: Operation<unknown>;
  readonly onWritten: (value: unknown) => void;
  readonly onFailure: (error: LedgerError) => void;
  readonly isSoon?: boolean;
}

const emptyOperationResult: OperationResult = { value: undefined };

type OperationResult = { readonly value: unknown } | { readonly error: LedgerError };

const maxBatchSize = 256;
const maxRetainedOutcomes = 1_000;
const batchMemory = 8;
const retryMs = 1_000;
const deferMs = 5;
const maxRaces = 20;

/**
 * Group commit: operations queue while a transaction is written and share the next one. Callers are notified
 * after the commit.
 */
export const createGroupWriter = (
  database: Database,
  { owner, ...given }: Omit<WriterContext, "owner"> & { readonly owner: string },
  dropFiles: (files: readonly string[]) => void,
): GroupWriter => {
  const dialect = dialectOf(database);
  const writing: WriterContext = { ...given, owner: { owner, writer: database.writer ?? owner } };
  const cache = createEntryCache(dialect);
  let queue: QueuedWrite[] = [];
  let retained: QueuedWrite[] = [];
  let isWriting = false;
  let isEnded = false;
  /**
   * Flushes immediately when idle; batches per event loop turn under load. Measured with 64 calls in flight,
   * immediate flushes cost three times as much.
   */
  let recentBatches = 0;
  let isScheduled = false;
  let retry: NodeJS.Timeout | undefined;
  let deferTimer: NodeJS.Timeout | undefined;
  let idle: (() => void)[] = [];

  function* batch(
    all: readonly QueuedWrite[],
    cached: CachedState | undefined,
  ): Script<{ readonly results: readonly OperationResult[]; readonly transaction: Transaction }> {
    const transaction = new Transaction(dialect, writing);
    const ids: string[] = [];
    for (const { operation } of all) {
      if (cached === undefined || operation.areNew !== true) ids.push(...operation.entryIds);
    }
    yield* transaction.open(ids, cached);
    yield* transaction.claims.lock(all.flatMap(({ operation }) => operation.claims?.(transaction) ?? []));
    const results: OperationResult[] = [];
    for (const { operation } of all) {
      try {
        if (operation.atOnce?.(transaction) === true) results.push(emptyOperationResult);
        else results.push({ value: yield* operation.run(transaction) });
      } catch (error) {
        if (!(error instanceof LedgerError)) throw error;
        results.push({ error });
      }
    }
    yield* transaction.flush();
    return { results: results, transaction };
  }

  const commit = async (
    all: readonly QueuedWrite[],
    cached: CachedState | undefined,
  ): Promise<readonly OperationResult[]> => {
    const full = all.some(({ operation }) => operation.full === true);
    const { results, transaction } = await database.write(() => batch(all, cached), { full });
    cache.learn(transaction);
    if (transaction.trashed.length > 0) dropFiles(transaction.trashed);
    return results;
  };

  const resolveAll = (all: readonly QueuedWrite[], results: readonly OperationResult[]): void => {
    for (const [i, queuedWrite] of all.entries()) {
      const answer = results[i]!;
      if ("value" in answer) queuedWrite.onWritten(answer.value);
      else fail(queuedWrite, answer.error);
    }
  };

  const fail = ({ operation, onFailure }: QueuedWrite, error: LedgerError): void => {
    operation.discard?.();
    onFailure(error);
  };

  /** One operation may be at fault: retry one by one. */
  const isSingleFault = (error: unknown): boolean =>
    error instanceof StaleCacheError ||
    !(error instanceof LedgerError) ||
    database.isRefusal?.(error) === true;

  const attempt = async (all: readonly QueuedWrite[], races = 0): Promise<void> => {
    const cached = cache.get();
    let results: readonly OperationResult[];
    try {
      results = await commit(all, cached);
    } catch (error) {
      cache.forget();
      const isRace = error instanceof StaleCacheError && races < maxRaces;
      if ((cached !== undefined && isSingleFault(error)) || isRace) {
        await attempt(all, races + Number(isRace));
        return;
      }
      if (all.length > 1 && isSingleFault(error)) {
        for (const each of all) await attempt([each]);
        return;
      }
      const failure =
        error instanceof KeyMissingError ? ledgerUnavailable(error.message, error) : toLedgerError(error);
      for (const each of all) failOrRetain(each, failure, isSingleFault(error));
      return;
    }
    resolveAll(all, results);
  };

  const failOrRetain = (queuedWrite: QueuedWrite, error: LedgerError, isOwnFault: boolean): void => {
    const { operation, onFailure } = queuedWrite;
    if (operation.isOutcome !== true || isOwnFault || retained.length >= maxRetainedOutcomes) {
      fail(queuedWrite, error);
      return;
    }
    retained.push({ operation, onWritten: ignore, onFailure: ignore });
    onFailure(error);
    retry ??= setTimeout(retryRetained, retryMs).unref();
  };

  const retryRetained = (): void => {
    retry = undefined;
    void flush();
  };

  const isUrgent = (): boolean =>
    queue.some(({ isSoon }) => isSoon !== true) || (retained.length > 0 && retry === undefined);

  const flush = async (): Promise<void> => {
    if (isWriting) return;
    isWriting = true;
    clearTimeout(deferTimer);
    deferTimer = undefined;
    do {
      const all = [...retained, ...queue.slice(0, maxBatchSize)];
      retained = [];
      queue = queue.slice(maxBatchSize);
      const awaited = all.filter(({ isSoon }) => isSoon !== true).length;
      recentBatches = awaited > 1 ? batchMemory : Math.max(0, recentBatches - 1);
      if (all.length > 0) await attempt(all);
      if (recentBatches > 0 && queue.length > 0) await nextEventLoopTurn();
    } while (isUrgent() || (isEnded && queue.length > 0));
    isWriting = false;
    if (queue.length > 0) scheduleDeferred();
    for (const wake of idle) wake();
    idle = [];
  };

  const scheduleDeferred = (): void => {
    deferTimer ??= setTimeout(() => void flush(), deferMs);
  };

  const schedule = (): void => {
    if (isWriting || isScheduled) return;
    isScheduled = true;
    const begin = (): void => {
      isScheduled = false;
      void flush();
    };
    if (recentBatches > 0) setImmediate(begin);
    else queueMicrotask(begin);
  };

  const drain = async (): Promise<void> => {
    clearTimeout(retry);
    retry = undefined;
    void flush();
    if (isWriting) await new Promise<void>((resolve) => idle.push(resolve));
    clearTimeout(retry);
  };

  /** Otherwise it is free only once this owner counts as dead. */
  const releaseOwnChain = async (): Promise<void> => {
    if (dialect.hasChains) await database.write(() => releaseChain(dialect, owner)).catch(() => {});
  };

  const add = (queuedWrite: QueuedWrite): void => {
    if (isEnded) {
      fail(queuedWrite, ledgerUnavailable("The ledger was closed and accepts no more writes."));
      return;
    }
    queue.push(queuedWrite);
    if (queuedWrite.isSoon !== true) schedule();
    else if (!isWriting) scheduleDeferred();
  };

  return {
    write: <A>(make: () => Operation<A>) =>
      Effect.callback<A, LedgerError>((resume) => {
        try {
          add({
            operation: make(),
            onWritten: (value) => resume(Effect.succeed(value as A)),
            onFailure: (error) => resume(Effect.fail(error)),
          });
        } catch (error) {
          resume(Effect.fail(toLedgerError(error)));
        }
      }),
    writeSoon: (make, onFailure) => {
      try {
        add({ operation: make(), onWritten: ignore, onFailure, isSoon: true });
      } catch (error) {
        onFailure(toLedgerError(error));
      }
    },
    end: async () => {
      isEnded = true;
      await drain();
      if (retained.length > 0) await drain();
      await releaseOwnChain();
      if (retained.length > 0)
        throw ledgerUnavailable(`The outcomes of ${retained.length} calls could not be written.`);
    },
  };
};

const ignore = (): void => {};

const nextEventLoopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const createReadOnlyWriter = (place: string): GroupWriter => ({
  write: () => Effect.fail(readOnlyError(place)),
  writeSoon: (_, onFailure) => onFailure(readOnlyError(place)),
  end: () => Promise.resolve(),
});

const readOnlyError = (place: string): LedgerError =>
  ledgerUnavailable(`The ledger ${place} was opened read-only.`);
