import type { Row } from "./database.ts";
import type { SqlDialect } from "./dialect.ts";
import type { EntryState } from "./entry-state.ts";
import type { Transaction } from "./transaction.ts";

export interface CachedState {
  readonly head: Transaction["head"];
  readonly months: Transaction["months"];
  /** A copy, because a transaction may fail. */
  readonly entry: (entryId: string) => EntryState | undefined;
  readonly run: (runId: string) => Row | undefined;
}

export interface EntryCache {
  /** Undefined while other processes write to the same chain. */
  readonly get: () => CachedState | undefined;
  readonly learn: (transaction: Transaction) => void;
  readonly forget: () => void;
}

/** SQLite only: skips the cache after another process wrote. */
const skipsAfterConflict = 50;
const maxCachedEntries = 10_000;
const maxCachedRuns = 10_000;

/** The cache may be stale: conditional writes then fail the transaction, which is retried without it. */
export const createEntryCache = ({ hasChains }: SqlDialect): EntryCache => {
  let last: Pick<Transaction, "head" | "months"> | undefined;
  let remainingSkips = 0;
  const open = new Map<string, EntryState>();
  const runs = new Map<string, Row>();
  const toCachedState = ({ head, months }: Pick<Transaction, "head" | "months">): CachedState => ({
    head,
    months,
    entry: (entryId) => {
      const entry = open.get(entryId);
      return entry === undefined ? undefined : { ...entry };
    },
    run: (runId) => runs.get(runId),
  });
  return {
    get: () => {
      if (last === undefined) return undefined;
      if (remainingSkips === 0) return toCachedState(last);
      remainingSkips -= 1;
      return undefined;
    },
    learn: (transaction) => {
      last = { head: transaction.head, months: transaction.months };
      for (const entry of transaction.touched) {
        if (entry === undefined) continue;
        if (entry.ending === "open" && open.size < maxCachedEntries) open.set(entry.entryId, entry);
        else open.delete(entry.entryId);
      }
      // SQLite locks the whole file, so reading is cheap.
      if (!hasChains) return;
      for (const [runId, run] of transaction.claims.touched) {
        if (transaction.claims.isOwn(run) && runs.size < maxCachedRuns) runs.set(runId, run);
        else runs.delete(runId);
      }
    },
    forget: () => {
      last = undefined;
      open.clear();
      runs.clear();
      remainingSkips = hasChains ? 0 : skipsAfterConflict;
    },
  };
};
