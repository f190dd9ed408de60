import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, DatabaseSyncOptions, StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import {
  type DatabaseStep,
  type InsertRows,
  type Query,
  type Row,
  type Script,
  type SqlValue,
  StaleCacheError,
} from "../durable/database.ts";
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
