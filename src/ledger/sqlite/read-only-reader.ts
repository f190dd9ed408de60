import { statSync } from "node:fs";
import type { Script } from "../durable/database.ts";
import { ledgerUnavailable } from "../ledger-errors.ts";
import { notALedgerError } from "../not-a-ledger-error.ts";
import { inMemoryPath, openForReading, openImmutable, type SqliteConnection } from "./connection.ts";

export interface ReadOnlyReader {
  readonly run: <A>(script: () => Script<A>) => A;
  readonly close: () => void;
}

/** If the file keeps changing, it is opened normally. */
const maxAttempts = 3;

/**
 * Without a WAL file no process is writing: the file is read as immutable, and the result counts only if it
 * did not change.
 */
export const createReadOnlyReader = (path: string): ReadOnlyReader => {
  let live: SqliteConnection | undefined;
  let immutable: { readonly connection: SqliteConnection; readonly mark: string } | undefined;

  const closeImmutable = (): void => {
    immutable?.connection.close();
    immutable = undefined;
  };
  const immutableAt = (mark: string): SqliteConnection => {
    if (immutable?.mark !== mark) {
      closeImmutable();
      immutable = { connection: openImmutable(path), mark };
    }
    return immutable.connection;
  };
  const runImmutable = <A>(script: () => Script<A>): { readonly result: A } | undefined => {
    const mark = fileVersionOf(path);
    if (mark === undefined) return undefined;
    try {
      const result = immutableAt(mark).run(script, "BEGIN");
      return fileVersionOf(path) === mark ? { result } : undefined;
    } catch (error) {
      if (fileVersionOf(path) === mark) throw error;
      return undefined;
    }
  };

  return {
    run: (script) => {
      if (path === inMemoryPath) throw notALedgerError(path);
      for (let tries = 0; live === undefined && tries < maxAttempts; tries++) {
        const read = runImmutable(script);
        if (read !== undefined) return read.result;
      }
      live ??= openForReading(path);
      return live.run(script, "BEGIN");
    },
    close: () => {
      closeImmutable();
      live?.close();
    },
  };
};

/** Undefined while there is a WAL file. */
const fileVersionOf = (path: string): string | undefined => {
  const file = statSync(path, { throwIfNoEntry: false, bigint: true });
  if (file === undefined) throw ledgerUnavailable(`There is no ledger at ${path}.`);
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return undefined;
  return `${file.ino} ${file.size} ${file.mtimeNs}`;
};
