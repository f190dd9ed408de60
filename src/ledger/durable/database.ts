export type SqlValue = string | number | Uint8Array | null;

export type Row = Readonly<Record<string, SqlValue>>;

/** One statement. Each `?` stands for a value; a database that numbers them does so itself. */
export interface Query {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Rows for one table; every database has its own fastest way. */
export interface Insert {
  readonly insert: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
}

/** One statement for each of several lists of values. What comes back is one row: how many rows `changed` in all. */
export interface Repeat {
  readonly repeat: string;
  readonly each: readonly (readonly SqlValue[])[];
}

export type DatabaseStep = Query | Insert | Repeat;

/**
 * Work in one transaction, written once for every database: it yields statements and is given the rows. It may be
 * started over when the database was busy, so it changes nothing but what it yields.
 */
export type Script<A> = Generator<DatabaseStep, A, readonly Row[]>;

export interface Database {
  readonly dialect: "sqlite" | "postgres";
  /**
   * All of it or nothing, and durable when it resolves; `full` also against a power cut. Scripts that write run one
   * after the other, those of other processes included.
   */
  readonly write: <A>(script: () => Script<A>, options?: { readonly full?: boolean }) => Promise<A>;
  readonly read: <A>(script: () => Script<A>) => Promise<A>;
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
  readonly reclaim?: (options: ReclaimOptions) => Promise<Reclaimed>;
  readonly close: () => Promise<void>;
}

export interface ReclaimOptions {
  /** No more rows are deleted after this. */
  readonly isLast: boolean;
  /** Between two steps: stop. */
  readonly isStopped: () => boolean;
  /** The whole file may be rewritten, in one step that keeps everybody else from writing. */
  readonly rewrite: boolean;
}

export interface Reclaimed {
  readonly freedBytes: number;
  /** Empty space that only a rewrite would give back. */
  readonly unreturnedBytes: number;
}
