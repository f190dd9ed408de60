import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, DatabaseSyncOptions, StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { LedgerError } from "../../types/errors.ts";
import {
  type DatabaseStep,
  type InsertRows,
  type Query,
  type Row,
  type Script,
  type SqlValue,
  StaleCacheError,
} from "../durable/database.ts";
import { ledgerUnavailable } from "../ledger-errors.ts";
import { notALedgerError } from "../not-a-ledger-error.ts";

export interface SqliteConnection {
  readonly run: <A>(script: () => Script<A>, begin: "BEGIN" | "BEGIN IMMEDIATE") => A;
  readonly exec: (sql: string) => void;
  readonly close: () => void;
}

export const inMemoryPath = ":memory:";

/** The default of SQLite causes four times as many checkpoints. */
const pagesPerCheckpoint = 10_000;
const maxStatements = 500;

/** SQLite's other files inherit the mode. */
const createFile = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
};

/** Not imported, because an older Node without SQLite must load this file to report its version. */
const openDatabase = (path: string | URL, options: DatabaseSyncOptions): DatabaseSync => {
  const { DatabaseSync: Database } = process.getBuiltinModule("node:sqlite");
  return new Database(path, options);
};

/** Deleted data is overwritten. Callers retry on locks, so that the event loop stays free. */
export const openForWriting = (path: string): SqliteConnection => {
  if (path !== inMemoryPath) createFile(path);
  const database = openDatabase(path, { timeout: 0 });
  return createConnection(database, () => {
    refuseForeignFile(database, path);
    database.exec(
      `PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
       PRAGMA wal_autocheckpoint = ${pagesPerCheckpoint}; PRAGMA journal_size_limit = 67108864;
       PRAGMA secure_delete = ON`,
    );
  });
};

/** Leaves files of other programs untouched. */
const refuseForeignFile = (database: DatabaseSync, path: string): void => {
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  if (tables.length > 0 && !tables.some(({ name }) => name === "haft_meta")) throw notALedgerError(path);
};

export const openForReading = (path: string): SqliteConnection =>
  createConnection(openDatabase(path, { timeout: 0, readOnly: true }), () => {});

/** Creates no file next to it. */
export const openImmutable = (path: string): SqliteConnection => {
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  return createConnection(openDatabase(url, { timeout: 0, readOnly: true }), () => {});
};

const createConnection = (database: DatabaseSync, setUp: () => void): SqliteConnection => {
  try {
    setUp();
  } catch (error) {
    database.close();
    throw error;
  }
  const statements = new Map<string, StatementSync>();
  const statement = (sql: string): StatementSync => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const made = database.prepare(sql);
    if (statements.size >= maxStatements) statements.clear();
    statements.set(sql, made);
    return made;
  };
  // Building the text costs more than the lookup.
  const inserts = new WeakMap<InsertRows["columns"], { readonly into: string; readonly sql: string }>();
  const inserting = ({ insert, columns }: InsertRows): StatementSync => {
    const known = inserts.get(columns);
    if (known?.into === insert) return statement(known.sql);
    const sql = `INSERT INTO ${insert} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
    inserts.set(columns, { into: insert, sql });
    return statement(sql);
  };

  // The row objects of node:sqlite are slow to create and read.
  const columns = new WeakMap<StatementSync, readonly string[]>();
  const columnsOf = (selecting: StatementSync): readonly string[] => {
    const names = selecting.columns().map(({ name }) => name);
    columns.set(selecting, names);
    return names;
  };
  const rowsOf = (selecting: StatementSync, values: Query["values"]): readonly Row[] => {
    if (!columns.has(selecting)) selecting.setReturnArrays(true);
    const known = columns.get(selecting) ?? columnsOf(selecting);
    const found = selecting.all(...values) as unknown as readonly SqlValue[][];
    // Another process may have changed the table.
    const names = found[0] === undefined || found[0].length === known.length ? known : columnsOf(selecting);
    return found.map((row) => toRow(names, row));
  };

  const execute = (step: DatabaseStep): readonly Row[] => {
    if ("sql" in step) return rowsOf(statement(step.sql), step.values);
    if ("insert" in step) {
      const into = inserting(step);
      for (const row of step.rows) into.run(...row);
      return [];
    }
    if ("post" in step) {
      statement(step.post).run(...step.values);
      return [];
    }
    if ("check" in step) {
      const found = rowsOf(statement(step.check), step.values).length;
      if (found !== step.rows) throw new StaleCacheError(`${found} rows are as remembered, of ${step.rows}.`);
      return [];
    }
    const repeated = statement(step.repeat);
    let changed = 0;
    for (const values of step.each) changed += Number(repeated.run(...values).changes);
    return [{ changed }];
  };

  return {
    run: (script, begin) => {
      statement(begin).run();
      const steps = script();
      try {
        let step = steps.next([]);
        while (step.done !== true) step = steps.next(execute(step.value));
        statement("COMMIT").run();
        return step.value;
      } catch (error) {
        steps.return(undefined as never);
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
    },
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
  };
};

const toRow = (names: readonly string[], values: readonly SqlValue[]): Row => {
  const row: Record<string, SqlValue> = {};
  for (let i = 0; i < names.length; i++) row[names[i]!] = values[i]!;
  return row;
};

/** Without the extended bits. */
const sqliteCodes = {
  busy: 5,
  locked: 6,
  readonly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  tooBig: 18,
  constraint: 19,
  mismatch: 20,
  noDatabase: 26,
} as const;

const sqliteCodeOf = (error: unknown): number | undefined => {
  const code = (error as { readonly errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code & 0xff : undefined;
};

export const isBusy = (error: unknown): boolean => {
  const code = sqliteCodeOf(error);
  return code === sqliteCodes.busy || code === sqliteCodes.locked;
};

export const isSqliteValueError = (error: unknown): boolean => {
  const code = sqliteCodeOf((error as { readonly failure?: { readonly cause?: unknown } }).failure?.cause);
  return code === sqliteCodes.tooBig || code === sqliteCodes.constraint || code === sqliteCodes.mismatch;
};

const fileErrorCodes: Readonly<Record<string, number>> = {
  EACCES: sqliteCodes.readonly,
  EPERM: sqliteCodes.readonly,
  EROFS: sqliteCodes.readonly,
  ENOSPC: sqliteCodes.full,
  EDQUOT: sqliteCodes.full,
  ENOTDIR: sqliteCodes.cannotOpen,
  EISDIR: sqliteCodes.cannotOpen,
  EEXIST: sqliteCodes.cannotOpen,
};

const describeSqliteError = (error: unknown, path: string, waitedMs: number): string => {
  switch (
    sqliteCodeOf(error) ??
    fileErrorCodes[String((error as { readonly code?: unknown } | null)?.code)]
  ) {
    case sqliteCodes.busy:
    case sqliteCodes.locked:
      return `${path} has been locked by another process for ${waitedMs / 1_000} s. Stop that process, or wait until it finishes`;
    case sqliteCodes.full:
      return `the disk that holds ${path} is full. Free disk space: calls that cannot be recorded do not run`;
    case sqliteCodes.readonly:
      return `${path} cannot be written to. Let this user write to the file and to its folder`;
    case sqliteCodes.cannotOpen:
      return `${path} cannot be opened. Its folder must exist and let this user write`;
    case sqliteCodes.corrupt:
    case sqliteCodes.noDatabase:
      return `${path} is not a ledger, or it is damaged. Restore it from a backup, or move it away to start a new ledger`;
    case sqliteCodes.io:
      return `the disk that holds ${path} fails: ${(error as Error).message}`;
    case sqliteCodes.tooBig:
    case sqliteCodes.constraint:
    case sqliteCodes.mismatch:
      return `${path} refuses a value: ${(error as Error).message}`;
    default:
      return `${path}: ${error instanceof Error ? error.message : String(error)}`;
  }
};

export const toSqliteError = (error: unknown, path: string, waitedMs: number): LedgerError | unknown =>
  sqliteCodeOf(error) === undefined && !isFileError(error)
    ? error
    : ledgerUnavailable(`The ledger: ${describeSqliteError(error, path, waitedMs)}.`, error);

const isFileError = (error: unknown): boolean =>
  error instanceof Error &&
  ("syscall" in error || String((error as { code?: unknown }).code).startsWith("ERR_SQLITE"));
