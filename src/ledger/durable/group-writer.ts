import * as Effect from "effect/Effect";
import { LedgerError } from "../../words/errors.ts";
import { toLedgerError, unavailable } from "../refusals.ts";
import { leaveChain } from "./chain/chains.ts";
import { KeyMissing } from "./chain/key-changes.ts";
import { type Database, type Script, StaleCache } from "./database.ts";
import { dialectOf } from "./dialect.ts";
import { type CachedState, cache } from "./entry-cache.ts";
import { Transaction, type Writing } from "./transaction.ts";

/** One thing to write. It refuses, with a LedgerError, before it has changed anything. */
export interface Operation<A> {
  /** Entries it looks at: read for everybody at once. */
  readonly entryIds: readonly string[];
  /** They are most likely not there, and nobody need look as long as the database would refuse them twice. */
  readonly areNew?: boolean;
  /** The run whose claim it needs, if it needs one: locked and read for everybody at once. */
  readonly claims?: ((transaction: Transaction) => string | undefined) | undefined;
  readonly run: (transaction: Transaction) => Script<A>;
  /** Does the same where nothing has to be asked of the database, and says whether it did: most calls are like that. */
  readonly atOnce?: (transaction: Transaction) => boolean;
  readonly full?: boolean | undefined;
  /** What came of a call is not lost when it cannot be written now: it is written with the next commit that works. */
  readonly isOutcome?: boolean;
  /** Nothing of it was written. */
  readonly discard?: () => void;
}

export interface GroupWriter {
  /** Done when it is committed. */
  readonly write: <A>(make: () => Operation<A>) => Effect.Effect<A, LedgerError>;
  /** Goes with what is written next, and before it; soon by itself if nothing is. `onFailure` hears why it could not. */
  readonly writeSoon: (make: () => Operation<unknown>, onFailure: (error: LedgerError) => void) => void;
  /** Writes what is left, and nothing after that. */
  readonly end: () => Promise<void>;
}

interface QueuedWrite {
  readonly operation: Operation<unknown>;
  readonly onWritten: (value: unknown) => void;
  readonly onFailure: (error: LedgerError) => void;
  /** Nobody waits for it, so it waits for others. */
  readonly isSoon?: boolean;
}

const written: WriteResult = { value: undefined };

type WriteResult = { readonly value: unknown } | { readonly error: LedgerError };

/** More in one transaction would keep others waiting. */
const mostAtOnce = 256;
const mostKept = 1_000;
/** Transactions that a group is remembered for. */
const lately = 8;
const retryMs = 1_000;
/** So long what nobody waits for may wait for others. */
const soonMs = 5;
/** So often something may change between being read and being written, because others write at the same time. */
const mostRaces = 20;

/**
 * Group commit: while one transaction is written the next ones gather, and all that gathered go in one. Whoever
 * waits is told only after the commit.
 */
export const writer = (
  database: Database,
  { owner, ...given }: Omit<Writing, "owner"> & { readonly owner: string },
  drop: (files: readonly string[]) => void,
): GroupWriter => {
  const dialect = dialectOf(database);
  const writing: Writing = { ...given, owner: { owner, writer: database.writer ?? owner } };
  const remembered = cache(dialect);
  let queue: QueuedWrite[] = [];
  let kept: QueuedWrite[] = [];
  let isWriting = false;
  let isEnded = false;
  /**
   * Who is alone is written at once. Where several came lately, all of one turn of the event loop go together.
   * Measured: at once costs 64 in flight three times as much, a turn costs one alone a half more.
   */
  let company = 0;
  let isScheduled = false;
  let retry: NodeJS.Timeout | undefined;
  let soon: NodeJS.Timeout | undefined;
  let idle: (() => void)[] = [];

  function* batch(
    all: readonly QueuedWrite[],
    cached: CachedState | undefined,
  ): Script<{ readonly answers: readonly WriteResult[]; readonly transaction: Transaction }> {
    const transaction = new Transaction(dialect, writing);
    const ids: string[] = [];
    for (const { operation } of all) {
      if (cached === undefined || operation.areNew !== true) ids.push(...operation.entryIds);
    }
    yield* transaction.open(ids, cached);
    yield* transaction.claims.lock(all.flatMap(({ operation }) => operation.claims?.(transaction) ?? []));
    const answers: WriteResult[] = [];
    for (const { operation } of all) {
      try {
        if (operation.atOnce?.(transaction) === true) answers.push(written);
        else answers.push({ value: yield* operation.run(transaction) });
      } catch (error) {
        if (!(error instanceof LedgerError)) throw error;
        answers.push({ error });
      }
    }
    yield* transaction.flush();
    return { answers, transaction };
  }

  const commit = async (
    all: readonly QueuedWrite[],
    cached: CachedState | undefined,
  ): Promise<readonly WriteResult[]> => {
    const full = all.some(({ operation }) => operation.full === true);
    const { answers, transaction } = await database.write(() => batch(all, cached), { full });
    remembered.learn(transaction);
    if (transaction.trashed.length > 0) drop(transaction.trashed);
    return answers;
  };

  const tell = (all: readonly QueuedWrite[], answers: readonly WriteResult[]): void => {
    for (const [i, waiting] of all.entries()) {
      const answer = answers[i]!;
      if ("value" in answer) waiting.onWritten(answer.value);
      else fail(waiting, answer.error);
    }
  };

  const fail = ({ operation, onFailure }: QueuedWrite, error: LedgerError): void => {
    operation.discard?.();
    onFailure(error);
  };

  /** A fault of one among several, such as a value that the database refuses, is not the fault of all. */
  const isOfOne = (error: unknown): boolean =>
    error instanceof StaleCache || !(error instanceof LedgerError) || database.isRefusal?.(error) === true;

  const attempt = async (all: readonly QueuedWrite[], races = 0): Promise<void> => {
    const cached = remembered.get();
    let answers: readonly WriteResult[];
    try {
      answers = await commit(all, cached);
    } catch (error) {
      remembered.forget();
      const isRace = error instanceof StaleCache && races < mostRaces;
      if ((cached !== undefined && isOfOne(error)) || isRace) {
        await attempt(all, races + Number(isRace));
        return;
      }
      if (all.length > 1 && isOfOne(error)) {
        for (const each of all) await attempt([each]);
        return;
      }
      const failure = error instanceof KeyMissing ? unavailable(error.message, error) : toLedgerError(error);
      for (const each of all) giveUp(each, failure, isOfOne(error));
      return;
    }
    tell(all, answers);
  };

  const giveUp = (waiting: QueuedWrite, error: LedgerError, isItsOwn: boolean): void => {
    const { operation, onFailure } = waiting;
    if (operation.isOutcome !== true || isItsOwn || kept.length >= mostKept) {
      fail(waiting, error);
      return;
    }
    kept.push({ operation, onWritten: nobody, onFailure: nobody });
    onFailure(error);
    retry ??= setTimeout(tryAgain, retryMs).unref();
  };

  const tryAgain = (): void => {
    retry = undefined;
    void flush();
  };

  const isUrgent = (): boolean =>
    queue.some(({ isSoon }) => isSoon !== true) || (kept.length > 0 && retry === undefined);

  const flush = async (): Promise<void> => {
    if (isWriting) return;
    isWriting = true;
    clearTimeout(soon);
    soon = undefined;
    do {
      const all = [...kept, ...queue.slice(0, mostAtOnce)];
      kept = [];
      queue = queue.slice(mostAtOnce);
      const awaited = all.filter(({ isSoon }) => isSoon !== true).length;
      company = awaited > 1 ? lately : Math.max(0, company - 1);
      if (all.length > 0) await attempt(all);
      if (company > 0 && queue.length > 0) await turn();
    } while (isUrgent() || (isEnded && queue.length > 0));
    isWriting = false;
    if (queue.length > 0) waitForOthers();
    for (const wake of idle) wake();
    idle = [];
  };

  const waitForOthers = (): void => {
    soon ??= setTimeout(() => void flush(), soonMs);
  };

  const schedule = (): void => {
    if (isWriting || isScheduled) return;
    isScheduled = true;
    const begin = (): void => {
      isScheduled = false;
      void flush();
    };
    if (company > 0) setImmediate(begin);
    else queueMicrotask(begin);
  };

  /** Until everything was tried once more. */
  const quiet = async (): Promise<void> => {
    clearTimeout(retry);
    retry = undefined;
    void flush();
    if (isWriting) await new Promise<void>((resolve) => idle.push(resolve));
    clearTimeout(retry);
  };

  /** Others may go on with the chain at once; else they would once this owner is taken for dead. */
  const giveChainBack = async (): Promise<void> => {
    if (dialect.hasChains) await database.write(() => leaveChain(dialect, owner)).catch(() => {});
  };

  const add = (waiting: QueuedWrite): void => {
    if (isEnded) {
      fail(waiting, unavailable("The ledger was closed: nothing more is written to it."));
      return;
    }
    queue.push(waiting);
    if (waiting.isSoon !== true) schedule();
    else if (!isWriting) waitForOthers();
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
        add({ operation: make(), onWritten: nobody, onFailure, isSoon: true });
      } catch (error) {
        onFailure(toLedgerError(error));
      }
    },
    end: async () => {
      isEnded = true;
      await quiet();
      if (kept.length > 0) await quiet();
      await giveChainBack();
      if (kept.length > 0) throw unavailable(`The outcomes of ${kept.length} calls could not be written.`);
    },
  };
};

const nobody = (): void => {};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** For whoever only reads. */
export const noWriter = (place: string): GroupWriter => ({
  write: () => Effect.fail(readingOnly(place)),
  writeSoon: (_, onFailure) => onFailure(readingOnly(place)),
  end: () => Promise.resolve(),
});

const readingOnly = (place: string): LedgerError =>
  unavailable(`The ledger ${place} was opened for reading only: nothing is written to it.`);
