import { LedgerError } from "../../types/errors.ts";

export type SqlValue = string | number | Uint8Array | null;

export type Row = Readonly<Record<string, SqlValue>>;

/** One statement. Each `?` stands for a value; a database that numbers them does so itself. */
export interface Query {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Rows for one table; every database has its own fastest way. */
export interface InsertRows {
  readonly insert: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
}

/** One statement for each of several lists of values. What comes back is one row: how many rows `changed` in all. */
export interface RepeatedStatement {
  readonly repeat: string;
  readonly each: readonly (readonly SqlValue[])[];
}

/** One statement whose answer nobody needs: where it fails, so does the whole transaction. What comes back is nothing. */
export interface SilentStatement {
  readonly post: string;
  readonly values: readonly SqlValue[];
}

/** A statement that must give back so many rows, or the transaction comes to nothing with `StaleCache`. */
export interface CheckedStatement {
  readonly check: string;
  readonly values: readonly SqlValue[];
  readonly rows: number;
}

/**
 * A server far away is asked inserts, posts and checks without waiting for the answers in between: a script of those
 * alone is one journey there and back.
 */
export type DatabaseStep = Query | InsertRows | RepeatedStatement | SilentStatement | CheckedStatement;

/**
 * Work in one transaction, written once for every database: it yields statements and is given the rows. It may be
 * started over when the database was busy, so it changes nothing but what it yields.
 */
export type Script<A> = Generator<DatabaseStep, A, readonly Row[]>;

export interface Database {
  readonly dialect: "sqlite" | "postgres";
  /**
   * All of it or nothing, and durable when it resolves; `full` also against a power cut. Scripts of this process run
   * one after the other. Those of others run at the same time where there is a server, unless both are `alone`.
   */
  readonly write: <A>(script: () => Script<A>, options?: WriteOptions) => Promise<A>;
  readonly read: <A>(script: () => Script<A>) => Promise<A>;
  /** Under which name the transactions of `write` can be fenced off, where there is a server. */
  readonly writer?: string;
  /** Calls this process so, until it closes the database or dies: what `findGone` of other processes looks for. */
  readonly hold?: (owner: string) => Promise<void>;
  /**
   * Which of several owners nobody holds at this moment, by one question. A sign of death, and no proof: a connection
   * that was lost may come back. Absent where there is no server to ask.
   */
  readonly findGone?: (owners: readonly string[]) => Promise<readonly string[]>;
  /** Whether the database refused a value: then those that were written together with it may still be written. */
  readonly isRefusal?: (error: unknown) => boolean;
  /** Gives back what deleted rows left, a little at a time; called now and then while many are deleted, and at the end. */
  readonly reclaim?: (options: ReclaimOptions) => Promise<ReclaimResult>;
  /**
   * One statement that changes a table, outside of every transaction: `busy` where others kept it locked for so long,
   * `forbidden` where this user may not. Absent where tables are never changed while others use them.
   */
  readonly alter?: (statement: string, patienceMs: number) => Promise<"done" | "busy" | "forbidden">;
  readonly close: () => Promise<void>;
}

export interface WriteOptions {
  readonly full?: boolean;
  /** No other script that is alone runs anywhere: for what changes the tables themselves. */
  readonly alone?: boolean;
}

/** Something was not as it was remembered, or as a check says it must be: whoever looks again finds out. */
export class StaleCacheError extends LedgerError {
  constructor(message: string) {
    super("ledger_unavailable", message);
  }
}

export interface ReclaimOptions {
  /** No more rows are deleted after this. */
  readonly isLast: boolean;
  /** Between two steps: stop. */
  readonly isStopped: () => boolean;
  /** The whole file may be rewritten, in one step that keeps everybody else from writing. */
  readonly rewrite: boolean;
}

export interface ReclaimResult {
  readonly freedBytes: number;
  /** Empty space that only a rewrite would give back. */
  readonly unreturnedBytes: number;
}
