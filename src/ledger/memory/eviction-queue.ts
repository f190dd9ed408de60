import type { MemoryRow } from "./memory-row.ts";

export interface EvictionQueue {
  readonly add: (row: MemoryRow) => MemoryRow | undefined;
}

/** Read-only calls go first. */
export const createEvictionQueue = (keep: number, isEnded: (row: MemoryRow) => boolean): EvictionQueue => {
  const reads = createRowQueue();
  const writes = createRowQueue();
  let count = 0;

  /** Reopened rows are queued again when they end. */
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

/** Compacted occasionally, so that `shift` is amortized O(1). */
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
