import type { Store } from "../store.ts";

const youngMs = 3_600_000;

/** Takes away files that no row names. A young one may belong to a row that is being written. */
export const sweep = async ({ database, blobs, now }: Store): Promise<void> => {
  if (blobs === undefined) return;
  const named = await database.read(function* () {
    const rows = yield {
      sql: `SELECT file FROM haft_payloads WHERE file IS NOT NULL
            UNION ALL SELECT file FROM haft_run_messages WHERE file IS NOT NULL`,
      values: [],
    };
    return new Set(rows.map(({ file }) => file));
  });
  blobs.remove(blobs.leftBehind((file) => named.has(file), now() - youngMs));
};
