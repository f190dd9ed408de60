import { type BigIntStats, statSync } from "node:fs";
import { protectFile } from "../base/platform/protected-files.ts";
import type { Database, ReclaimOptions, ReclaimResult, Script } from "./durable/database.ts";
import { ledgerUnavailable } from "./ledger-errors.ts";
import { notALedgerError } from "./not-a-ledger-error.ts";
import {
  inMemoryPath,
  isBusy,
  isSqliteValueError,
  openForReading,
  openForWriting,
  openImmutable,
  type SqliteConnection,
  toSqliteError,
} from "./sqlite/connection.ts";

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
    if (readOnly) throw ledgerUnavailable(`The ledger ${path} was opened read-only.`);
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
      `The ledger ${path} was ${now === undefined ? "deleted" : "replaced by another file"} while it was open in this process, so ` +
        "it accepts no writes and no call runs. Restore the file, or restart this process.",
    );
  };
};

/** One megabyte takes a few milliseconds. */
const pagesPerStep = 250;
/** Limits the WAL that a checkpoint copies. */
const stepsPerCheckpoint = 8;
const incremental = 2;

type RetryWhileBusy = <A>(step: () => A) => Promise<A>;

const readPragma = (connection: SqliteConnection, name: string): number =>
  connection.run(function* () {
    const [row] = yield { sql: `PRAGMA ${name}`, values: [] };
    return Number(Object.values(row ?? {})[0] ?? 0);
  }, "BEGIN");

/** A file of 0.1.0 must be rewritten once, if requested. */
const reclaimFileSpace = async (
  writer: () => SqliteConnection,
  retryWhileBusy: RetryWhileBusy,
  { isStopped, isLast, rewrite }: ReclaimOptions,
): Promise<ReclaimResult> => {
  const readWhenFree = (name: string): Promise<number> => retryWhileBusy(() => readPragma(writer(), name));
  const pageSize = await readWhenFree("page_size");
  const before = await readWhenFree("page_count");
  if ((await readWhenFree("auto_vacuum")) !== incremental) {
    if (!isLast || !rewrite)
      return { freedBytes: 0, unreturnedBytes: (await readWhenFree("freelist_count")) * pageSize };
    await retryWhileBusy(() => writer().exec("PRAGMA auto_vacuum = INCREMENTAL; VACUUM"));
  }
  // The file shrinks only when a checkpoint copies the WAL.
  const checkpoint = (): Promise<void> =>
    retryWhileBusy(() => writer().exec("PRAGMA wal_checkpoint(PASSIVE)"));
  await checkpoint();
  let left = await readWhenFree("freelist_count");
  for (let steps = 1; left > 0 && !isStopped(); steps += 1) {
    await retryWhileBusy(() => writer().exec(`PRAGMA incremental_vacuum(${pagesPerStep})`));
    const next = await readWhenFree("freelist_count");
    if (next >= left) break;
    left = next;
    if (steps % stepsPerCheckpoint === 0) await checkpoint();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await checkpoint();
  return {
    freedBytes: Math.max(0, before - (await readWhenFree("page_count"))) * pageSize,
    unreturnedBytes: (await readWhenFree("freelist_count")) * pageSize,
  };
};

interface ReadOnlyReader {
  readonly run: <A>(script: () => Script<A>) => A;
  readonly close: () => void;
}

/** If the file keeps changing, it is opened normally. */
const maxAttempts = 3;

/**
 * Without a WAL file no process is writing: the file is read as immutable, and the result counts only if it
 * did not change.
 */
const createReadOnlyReader = (path: string): ReadOnlyReader => {
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
  if (file === undefined) throw ledgerUnavailable(`The ledger ${path} does not exist.`);
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return undefined;
  return `${file.ino} ${file.size} ${file.mtimeNs}`;
};
