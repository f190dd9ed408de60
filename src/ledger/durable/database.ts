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

export type Step = Query | Insert | Repeat;

/**
 * Work in one transaction, written once for every database: it yields statements and is given the rows. It may be
 * started over when the database was busy, so it changes nothing but what it yields.
 */
export type Script<A> = Generator<Step, A, readonly Row[]>;

export interface Database {
  readonly dialect: "sqlite" | "postgres";
  /**
   * All of it or nothing, and durable when it resolves; `full` also against a power cut. Scripts that write run one
   * after the other, those of other processes included.
   */
  readonly write: <A>(script: () => Script<A>, options?: { readonly full?: boolean }) => Promise<A>;
  readonly read: <A>(script: () => Script<A>) => Promise<A>;
  /** Whether a process that called itself so is still there; `undefined` if this database cannot tell. */
  readonly isAlive: (owner: string) => Promise<boolean | undefined>;
  /** Calls this process so, until it closes the database or dies: what `isAlive` of other processes looks for. */
  readonly hold?: (owner: string) => Promise<void>;
  /** Whether the database refused a value: then those that were written together with it may still be written. */
  readonly isRefusal?: (error: unknown) => boolean;
  readonly close: () => Promise<void>;
}
