import type { ChainQuery, ChainRow } from "../../../words/durable-ledger.ts";
import type { Script } from "../database.ts";
import { toChainRow } from "./link.ts";

export function* selectRows({ after = 0, entryId, limit }: ChainQuery): Script<readonly ChainRow[]> {
  let from = after;
  if (entryId !== undefined) {
    const [entry] = yield { sql: "SELECT open_seq FROM haft_entries WHERE entry_id = ?", values: [entryId] };
    from = Math.max(after, Number(entry?.open_seq ?? 1) - 1);
  }
  const rows = yield {
    sql: `SELECT * FROM haft_records WHERE seq > ? ${entryId === undefined ? "" : "AND entry_id = ?"}
          ORDER BY seq ${limit === undefined ? "" : "LIMIT ?"}`,
    values: [from, entryId, limit].filter((value) => value !== undefined),
  };
  return rows.map(toChainRow);
}
