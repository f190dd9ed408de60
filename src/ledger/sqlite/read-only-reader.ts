import { statSync } from "node:fs";
import type { Script } from "../durable/database.ts";
import { noLedger } from "../no-ledger.ts";
import { unavailable } from "../refusals.ts";
import { inMemory, openForReading, openStill, type SqliteConnection } from "./connection.ts";

/** Reads a file without making anything beside it. */
export interface ReadOnlyReader {
  readonly run: <A>(script: () => Script<A>) => A;
  readonly close: () => void;
}

/** Often enough for a file that is opened and closed again and again; then it is read as it changes. */
const mostTries = 3;

/**
 * While somebody writes there is a log beside the file, and SQLite reads both. Without one nobody has it open: it is
 * read as it lies there, and what was read counts only if it lay still meanwhile.
 */
export const readOnlyReader = (path: string): ReadOnlyReader => {
  let live: SqliteConnection | undefined;
  let still: { readonly connection: SqliteConnection; readonly mark: string } | undefined;

  const letGo = (): void => {
    still?.connection.close();
    still = undefined;
  };
  const stillAt = (mark: string): SqliteConnection => {
    if (still?.mark !== mark) {
      letGo();
      still = { connection: openStill(path), mark };
    }
    return still.connection;
  };
  const stillRun = <A>(script: () => Script<A>): { readonly result: A } | undefined => {
    const mark = markOf(path);
    if (mark === undefined) return undefined;
    try {
      const result = stillAt(mark).run(script, "BEGIN");
      return markOf(path) === mark ? { result } : undefined;
    } catch (error) {
      if (markOf(path) === mark) throw error;
      return undefined;
    }
  };

  return {
    run: (script) => {
      if (path === inMemory) throw noLedger(path);
      for (let tries = 0; live === undefined && tries < mostTries; tries++) {
        const read = stillRun(script);
        if (read !== undefined) return read.result;
      }
      live ??= openForReading(path);
      return live.run(script, "BEGIN");
    },
    close: () => {
      letGo();
      live?.close();
    },
  };
};

/** Changes whenever the file does; nothing while there is a log beside it. */
const markOf = (path: string): string | undefined => {
  const file = statSync(path, { throwIfNoEntry: false, bigint: true });
  if (file === undefined) throw unavailable(`There is no ledger at ${path}.`);
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return undefined;
  return `${file.ino} ${file.size} ${file.mtimeNs}`;
};
