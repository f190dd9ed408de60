import type { MemoryRow } from "./memory-row.ts";

/** Rows that ended, in that order, of which only so many are kept. */
export interface EvictionQueue {
  /** Keeps one more. Gives back the one that must be forgotten for it. */
  readonly add: (row: MemoryRow) => MemoryRow | undefined;
}

/** A call that only read is forgotten before any that may have changed something. */
export const createEvictionQueue = (keep: number, isEnded: (row: MemoryRow) => boolean): EvictionQueue => {
  const reads = createRowQueue();
  const writes = createRowQueue();
  let count = 0;

  /** A row that was opened again since is not forgotten; it comes back when it ends. */
  const oldest = (of: RowQueue): MemoryRow | undefined => {
    for (let row = of.shift(); row !== undefined; row = of.shift()) {
      row.isQueued = false;
      count -= 1;
      if (isEnded(row)) return row;
    }
    return undefined;
  };

  return {
    add: (row) => {
      if (row.isQueued) return undefined;
      row.isQueued = true;
      count += 1;
      (row.closing?.readOnly === true ? reads : writes).push(row);
      return count > keep ? (oldest(reads) ?? oldest(writes)) : undefined;
    },
  };
};

interface RowQueue {
  readonly push: (row: MemoryRow) => void;
  readonly shift: () => MemoryRow | undefined;
}

/** The part that was read is cut off now and then: each row is moved about once. */
const createRowQueue = (): RowQueue => {
  let rows: (MemoryRow | undefined)[] = [];
  let first = 0;
  return {
    push: (row) => {
      rows.push(row);
    },
    shift: () => {
      if (first === rows.length) return undefined;
      const row = rows[first];
      rows[first] = undefined;
      first += 1;
      if (first > 1_024 && first * 2 > rows.length) {
        rows = rows.slice(first);
        first = 0;
      }
      return row;
    },
  };
};
