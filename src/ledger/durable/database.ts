import { LedgerError } from "../../types/errors.ts";
import type { SqlDialect } from "./dialect.ts";

export type SqlValue = string | number | Uint8Array | null;

export type Row = Readonly<Record<string, SqlValue>>;

/** Placeholders are `?`; PostgreSQL numbers them itself. */
export interface Query {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export interface InsertRows {
  readonly insert: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
}

/** Run for each list of values. Returns one row with the total number `changed`. */
export interface RepeatedStatement {
  readonly repeat: string;
  readonly each: readonly (readonly SqlValue[])[];
}

export interface SilentStatement {
  readonly post: string;
  readonly values: readonly SqlValue[];
}

/** Must return this number of rows; otherwise the transaction fails with StaleCacheError. */
export interface CheckedStatement {
  readonly check: string;
  readonly values: readonly SqlValue[];
  readonly rows: number;
}

/** PostgreSQL gets inserts, posts and checks without waiting in between: one round trip. */
export type DatabaseStep = Query | InsertRows | RepeatedStatement | SilentStatement | CheckedStatement;

/**
 * Work in one transaction: yields statements and receives rows. It may be restarted, so it must have no other
 * side effects.
 */
export type Script<A> = Generator<DatabaseStep, A, readonly Row[]>;

export interface Database {
  readonly dialect: "sqlite" | "postgres";
  /**
   * Atomic and durable, with `full` even after a power failure. On a server, scripts of other processes run
   * concurrently unless both are `alone`.
   */
  readonly write: <A>(script: () => Script<A>, options?: WriteOptions) => Promise<A>;
  readonly read: <A>(script: () => Script<A>) => Promise<A>;
  /** The name that fences the transactions of `write`. */
  readonly writer?: string;
  /** Marks an owner as alive until the process ends. */
  readonly hold?: (owner: string) => Promise<void>;
  /** Owners without a connection: a hint only, because a connection may come back. */
  readonly findGone?: (owners: readonly string[]) => Promise<readonly string[]>;
  /** Other writes of the batch may still succeed. */
  readonly isRefusal?: (error: unknown) => boolean;
  readonly reclaim?: (options: ReclaimOptions) => Promise<ReclaimResult>;
  /** DDL outside of transactions: `busy` after a lock timeout, `forbidden` without the privilege. */
  readonly alter?: (statement: string, patienceMs: number) => Promise<"done" | "busy" | "forbidden">;
  readonly close: () => Promise<void>;
}

export interface WriteOptions {
  readonly full?: boolean;
  /** Excludes other scripts that are alone, for DDL. */
  readonly alone?: boolean;
}

/** Read again and retry. */
export class StaleCacheError extends LedgerError {
  constructor(message: string) {
    super("ledger_unavailable", message);
  }
}

export interface ReclaimOptions {
  readonly isLast: boolean;
  readonly isStopped: () => boolean;
  /** Rewriting the file blocks all writers. */
  readonly rewrite: boolean;
}

export interface ReclaimResult {
  readonly freedBytes: number;
  /** Free space that only a rewrite returns. */
  readonly unreturnedBytes: number;
}

export interface ServerClock {
  readonly measure: () => Script<void>;
  readonly toServerTime: (at: number) => number;
}

/** The query itself takes time. */
const toleranceMs = 1_000;

/** Without a server, local time is used. */
export const createServerClock = ({ serverSeconds }: SqlDialect, now: () => number): ServerClock => {
  let aheadMs = 0;
  return {
    *measure() {
      if (serverSeconds === undefined) return;
      const before = now();
      const [row] = yield { sql: `SELECT ${serverSeconds} AS seconds`, values: [] };
      const after = now();
      if (Math.abs(after - before) > toleranceMs) return;
      const difference = Number(row?.seconds) * 1_000 - (before + after) / 2;
      aheadMs = Math.abs(difference) > toleranceMs ? Math.round(difference) : 0;
    },
    toServerTime: (at) => at + aheadMs,
  };
};
