import type { Row } from "./database.ts";
import type { SqlDialect } from "./dialect.ts";
import type { EntryState } from "./entry-state.ts";
import type { Transaction } from "./transaction.ts";

/** What the last transaction of this store left, for the next one to begin with. */
export interface CachedState {
  readonly head: Transaction["head"];
  readonly months: Transaction["months"];
  /** A copy: a transaction may come to nothing. */
  readonly entry: (entryId: string) => EntryState | undefined;
  /** A run that this store holds. */
  readonly run: (runId: string) => Row | undefined;
}

export interface EntryCache {
  /** Nothing where others write too: then it would be wrong more often than right. */
  readonly get: () => CachedState | undefined;
  readonly learn: (transaction: Transaction) => void;
  readonly forget: () => void;
}

/** So many transactions look for themselves after somebody else wrote to the only chain. */
const skipsAfterConflict = 50;
const maxCachedEntries = 10_000;
const maxCachedRuns = 10_000;

/**
 * Saves reading what this store wrote itself. It need not be right: a row of the chain whose number is taken, an
 * entry that is there already and one that changed meanwhile all make the transaction fail, and it begins again
 * without any memory.
 */
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
      // A file is locked as a whole, so that looking costs nothing there.
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
