import { type BigIntStats, statSync } from "node:fs";
import { protectFile } from "../base/platform/protected-files.ts";
import type { Database } from "./durable/database.ts";
import { ledgerUnavailable } from "./ledger-errors.ts";
import { inMemoryPath, openForReading, openForWriting, type SqliteConnection } from "./sqlite/connection.ts";
import { isBusy, isSqliteValueError, toSqliteError } from "./sqlite/errors.ts";
import { createReadOnlyReader } from "./sqlite/read-only-reader.ts";
import { reclaimFileSpace } from "./sqlite/reclaim-file-space.ts";

export interface SqliteOptions {
  /** A file, made where there is none; or `:memory:`. */
  readonly path: string;
  /** How long a database is waited for that another process has locked. */
  readonly busyMs?: number;
  /** Makes and changes nothing, neither in the file nor beside it. */
  readonly readOnly?: boolean;
}

const minPauseMs = 0.5;
const maxPauseMs = 20;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** One file, for any number of processes on one machine. */
export const openSqliteDatabase = ({ path, busyMs = 10_000, readOnly = false }: SqliteOptions): Database => {
  let writeConnection: SqliteConnection | undefined;
  let readConnection: SqliteConnection | undefined;
  let checkFile: FileIdentityCheck | undefined;
  let isClosed = false;
  const unmark = path === inMemoryPath || readOnly ? () => {} : protectFile(path);

  /** Again and again while somebody else has it, each time all of it. */
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
  /** In memory each connection would be a database of its own. */
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

/** Refuses to go on once the file that was opened is no longer the one that has its name. */
type FileIdentityCheck = () => void;

const fileStatOf = (path: string): BigIntStats | undefined =>
  statSync(path, { throwIfNoEntry: false, bigint: true });

/**
 * SQLite goes on writing to a file that was deleted or replaced, where nobody else sees it: what another process did
 * meanwhile would be done once more. The device and the number of the file tell it from another of the same name.
 */
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
