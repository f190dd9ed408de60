import { type BigIntStats, statSync } from "node:fs";
import { protectFile } from "../base/platform/protected-files.ts";
import type { Database } from "./durable/database.ts";
import { ledgerUnavailable } from "./ledger-errors.ts";
import { inMemoryPath, openForReading, openForWriting, type SqliteConnection } from "./sqlite/connection.ts";
import { isBusy, isSqliteValueError, toSqliteError } from "./sqlite/errors.ts";
import { createReadOnlyReader } from "./sqlite/read-only-reader.ts";
import { reclaimFileSpace } from "./sqlite/reclaim-file-space.ts";

export interface SqliteOptions {
  /** A file, created if missing, or `:memory:`. */
  readonly path: string;
  readonly busyMs?: number;
  /** Creates and changes nothing. */
  readonly readOnly?: boolean;
}

const minPauseMs = 0.5;
const maxPauseMs = 20;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** For any number of processes on one machine. */
export const openSqliteDatabase = ({ path, busyMs = 10_000, readOnly = false }: SqliteOptions): Database => {
  let writeConnection: SqliteConnection | undefined;
  let readConnection: SqliteConnection | undefined;
  let checkFile: FileIdentityCheck | undefined;
  let isClosed = false;
  const unmark = path === inMemoryPath || readOnly ? () => {} : protectFile(path);

  const retryWhileBusy = async <A>(attempt: () => A): Promise<A> => {
    const began = performance.now();
    for (let pauseMs = minPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      if (isClosed) throw ledgerUnavailable(`The ledger ${path} was closed.`);
      try {
        return attempt();
      } catch (error) {
        const waitedMs = performance.now() - began;
        if (!isBusy(error) || waitedMs >= busyMs) throw toSqliteError(error, path, busyMs);
        await sleep(Math.min(pauseMs * (0.5 + Math.random()), busyMs - waitedMs));
      }
    }
  };

  const immutableReader = createReadOnlyReader(path);
  const withFileCheck = (connection: SqliteConnection): SqliteConnection => {
    checkFile ??= createFileIdentityCheck(path);
    checkFile();
    return connection;
  };
  const writer = (): SqliteConnection => {
    if (readOnly) throw ledgerUnavailable(`The ledger ${path} was opened for reading only.`);
    writeConnection ??= openForWriting(path);
    return withFileCheck(writeConnection);
  };
  /** Each connection to `:memory:` would be a separate database. */
  const reader = (): SqliteConnection => {
    if (path === inMemoryPath) return writer();
    readConnection ??= openForReading(path);
    return withFileCheck(readConnection);
  };

  return {
    dialect: "sqlite",
    write: (script, options) =>
      retryWhileBusy(() => {
        const connection = writer();
        if (options?.full !== true) return connection.run(script, "BEGIN IMMEDIATE");
        connection.exec("PRAGMA synchronous = FULL");
        try {
          return connection.run(script, "BEGIN IMMEDIATE");
        } finally {
          connection.exec("PRAGMA synchronous = NORMAL");
        }
      }),
    read: (script) =>
      retryWhileBusy(() => (readOnly ? immutableReader.run(script) : reader().run(script, "BEGIN"))),
    isRefusal: isSqliteValueError,
    reclaim: (options) => reclaimFileSpace(writer, retryWhileBusy, options),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      unmark();
      immutableReader.close();
      readConnection?.close();
      writeConnection?.close();
    },
  };
};

type FileIdentityCheck = () => void;

const fileStatOf = (path: string): BigIntStats | undefined =>
  statSync(path, { throwIfNoEntry: false, bigint: true });

/** SQLite continues to write to a deleted or replaced file, so calls could run twice. */
const createFileIdentityCheck = (path: string): FileIdentityCheck => {
  if (path === inMemoryPath) return () => {};
  const opened = fileStatOf(path);
  return () => {
    const now = fileStatOf(path);
    if (opened !== undefined && now?.ino === opened.ino && now.dev === opened.dev) return;
    throw ledgerUnavailable(
      `The ledger ${path} was ${now === undefined ? "deleted" : "replaced by another file"} while it was open here, so ` +
        "nothing more is written to it and nothing runs. Put the file back, or restart this process.",
    );
  };
};
