import type { ReclaimOptions, ReclaimResult } from "../durable/database.ts";
import type { SqliteConnection } from "./connection.ts";

/** Pages that are given back in one step: a megabyte, which takes some milliseconds. */
const pagesPerStep = 250;
/** A log that grows longer than this takes too long to copy at once. */
const stepsPerCheckpoint = 8;
const incremental = 2;

/** Runs one step when nobody else has the file, and waits for that. */
export type RunWhenFree = <A>(step: () => A) => Promise<A>;

const readPragma = (connection: SqliteConnection, name: string): number =>
  connection.run(function* () {
    const [row] = yield { sql: `PRAGMA ${name}`, values: [] };
    return Number(Object.values(row ?? {})[0] ?? 0);
  }, "BEGIN");

/**
 * Makes the file shorter by its empty pages. A file that was made by 0.1.0 has them in any place and is only
 * rewritten as a whole, once, if that is asked for; from then on it is like a new one.
 */
export const reclaimFileSpace = async (
  writer: () => SqliteConnection,
  patiently: RunWhenFree,
  { isStopped, isLast, rewrite }: ReclaimOptions,
): Promise<ReclaimResult> => {
  const readWhenFree = (name: string): Promise<number> => patiently(() => readPragma(writer(), name));
  const pageSize = await readWhenFree("page_size");
  const before = await readWhenFree("page_count");
  if ((await readWhenFree("auto_vacuum")) !== incremental) {
    if (!isLast || !rewrite)
      return { freedBytes: 0, unreturnedBytes: (await readWhenFree("freelist_count")) * pageSize };
    await patiently(() => writer().exec("PRAGMA auto_vacuum = INCREMENTAL; VACUUM"));
  }
  // What is in the log only makes the file shorter once it is copied there.
  const checkpoint = (): Promise<void> => patiently(() => writer().exec("PRAGMA wal_checkpoint(PASSIVE)"));
  await checkpoint();
  let left = await readWhenFree("freelist_count");
  for (let steps = 1; left > 0 && !isStopped(); steps += 1) {
    await patiently(() => writer().exec(`PRAGMA incremental_vacuum(${pagesPerStep})`));
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
