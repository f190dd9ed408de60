import type { ReclaimOptions, ReclaimResult } from "../durable/database.ts";
import type { SqliteConnection } from "./connection.ts";

/** One megabyte takes a few milliseconds. */
const pagesPerStep = 250;
/** Limits the WAL that a checkpoint copies. */
const stepsPerCheckpoint = 8;
const incremental = 2;

export type RetryWhileBusy = <A>(step: () => A) => Promise<A>;

const readPragma = (connection: SqliteConnection, name: string): number =>
  connection.run(function* () {
    const [row] = yield { sql: `PRAGMA ${name}`, values: [] };
    return Number(Object.values(row ?? {})[0] ?? 0);
  }, "BEGIN");

/** A file of 0.1.0 must be rewritten once, if requested. */
export const reclaimFileSpace = async (
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
