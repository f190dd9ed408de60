import { type BigIntStats, statSync } from "node:fs";
import type { Database } from "./durable/database.ts";
import { unavailable } from "./refusals.ts";
import { inMemory, openForReading, openForWriting, type SqliteConnection } from "./sqlite/connection.ts";
import { readOnlyReader } from "./sqlite/read-only.ts";
import { reclaim } from "./sqlite/reclaim.ts";
import { isBusy, isRefusal, toSqliteError } from "./sqlite/trouble.ts";

export interface SqliteOptions {
  /** A file, made where there is none; or `:memory:`. */
  readonly path: string;
  /** How long a database is waited for that another process has locked. */
  readonly busyMs?: number;
  /** Makes and changes nothing, neither in the file nor beside it. */
  readonly readOnly?: boolean;
}

const shortestPauseMs = 0.5;
const longestPauseMs = 20;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** One file, for any number of processes on one machine. */
export const sqliteDatabase = ({ path, busyMs = 10_000, readOnly = false }: SqliteOptions): Database => {
  let writing: SqliteConnection | undefined;
  let reading: SqliteConnection | undefined;
  let checkFile: SameFile | undefined;
  let isClosed = false;

  /** Again and again while somebody else has it, each time all of it. */
  const patiently = async <A>(attempt: () => A): Promise<A> => {
    const began = performance.now();
    for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      if (isClosed) throw unavailable(`The ledger ${path} was closed.`);
      try {
        return attempt();
      } catch (error) {
        const waitedMs = performance.now() - began;
        if (!isBusy(error) || waitedMs >= busyMs) throw toSqliteError(error, path, busyMs);
        await pause(Math.min(pauseMs * (0.5 + Math.random()), busyMs - waitedMs));
      }
    }
  };

  const onlyReading = readOnlyReader(path);
  const checked = (connection: SqliteConnection): SqliteConnection => {
    checkFile ??= sameFile(path);
    checkFile();
    return connection;
  };
  const writer = (): SqliteConnection => {
    if (readOnly) throw unavailable(`The ledger ${path} was opened for reading only.`);
    writing ??= openForWriting(path);
    return checked(writing);
  };
  /** In memory each connection would be a database of its own. */
  const reader = (): SqliteConnection => {
    if (path === inMemory) return writer();
    reading ??= openForReading(path);
    return checked(reading);
  };

  return {
    dialect: "sqlite",
    write: (script, options) =>
      patiently(() => {
        const connection = writer();
        if (options?.full !== true) return connection.run(script, "BEGIN IMMEDIATE");
        connection.exec("PRAGMA synchronous = FULL");
        try {
          return connection.run(script, "BEGIN IMMEDIATE");
        } finally {
          connection.exec("PRAGMA synchronous = NORMAL");
        }
      }),
    read: (script) => patiently(() => (readOnly ? onlyReading.run(script) : reader().run(script, "BEGIN"))),
    isRefusal,
    reclaim: (options) => reclaim(writer, patiently, options),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      onlyReading.close();
      reading?.close();
      writing?.close();
    },
  };
};

/** Refuses to go on once the file that was opened is no longer the one that has its name. */
type SameFile = () => void;

const statOf = (path: string): BigIntStats | undefined =>
  statSync(path, { throwIfNoEntry: false, bigint: true });

/**
 * SQLite goes on writing to a file that was deleted or replaced, where nobody else sees it: what another process did
 * meanwhile would be done once more. The device and the number of the file tell it from another of the same name.
 */
const sameFile = (path: string): SameFile => {
  if (path === inMemory) return () => {};
  const opened = statOf(path);
  return () => {
    const now = statOf(path);
    if (opened !== undefined && now?.ino === opened.ino && now.dev === opened.dev) return;
    throw unavailable(
      `The ledger ${path} was ${now === undefined ? "deleted" : "replaced by another file"} while it was open here, so ` +
        "nothing more is written to it and nothing runs. Put the file back, or restart this process.",
    );
  };
};
