import type { ChainHead, ChainQuery, ChainRow, LedgerAnchor } from "../../types/durable-ledger.ts";
import { readAnchor } from "./anchors/anchor-row.ts";
import { rareRowsSql } from "./approvals/approval-history.ts";
import { chainsWithRows, readHead } from "./chain/chains.ts";
import { chainOf, chainStart, toChainRow } from "./chain/signed-row.ts";
import type { Row, Script } from "./database.ts";
import { parseOtherChainRows } from "./entry-state.ts";

export function* selectAnchors(after: number, limit: number): Script<readonly LedgerAnchor[]> {
  const rows = yield {
    sql: "SELECT * FROM haft_roots WHERE number > ? ORDER BY number LIMIT ?",
    values: [after, limit],
  };
  return rows.map(readAnchor).map(({ number, at, root, hash }) => ({ number, at, root, hash }));
}

export function* selectHeads(): Script<readonly ChainHead[]> {
  const heads: ChainHead[] = [];
  for (const chain of yield* chainsWithRows()) {
    const { seq, hash } = yield* readHead(chain);
    heads.push({ seq, hash });
  }
  return heads;
}

function* selectNewRows(behind: readonly number[], limit: number | undefined): Script<readonly ChainRow[]> {
  const known = new Map(behind.map((seq) => [chainOf(seq), seq]));
  const found: ChainRow[] = [];
  for (const chain of yield* chainsWithRows()) {
    const left = limit === undefined ? undefined : limit - found.length;
    if (left === 0) break;
    const rows = yield {
      sql: `SELECT * FROM haft_records WHERE seq > ? AND seq < ? ORDER BY seq ${left === undefined ? "" : "LIMIT ?"}`,
      values: [
        known.get(chain) ?? chainStart(chain),
        chainStart(chain + 1),
        ...(left === undefined ? [] : [left]),
      ],
    };
    found.push(...rows.map(toChainRow));
  }
  return found;
}

export function* selectRows({
  after = 0,
  behind: known,
  entryId,
  limit,
}: ChainQuery): Script<readonly ChainRow[]> {
  if (known !== undefined) return yield* selectNewRows(known, limit);
  const most = limit === undefined ? [] : [limit];
  const behind = `ORDER BY seq ${limit === undefined ? "" : "LIMIT ?"}`;
  if (entryId === undefined) {
    const rows = yield {
      sql: `SELECT * FROM haft_records WHERE seq > ? ${behind}`,
      values: [after, ...most],
    };
    return rows.map(toChainRow);
  }
  const [entry] = yield {
    sql: "SELECT open_seq, start_seq, close_seq, last_seq, elsewhere FROM haft_entries WHERE entry_id = ?",
    values: [entryId],
  };
  if (entry === undefined) {
    const rows = yield {
      sql: `SELECT * FROM haft_records WHERE seq > ? AND entry_id = ? ${behind}`,
      values: [after, entryId, ...most],
    };
    return rows.map(toChainRow);
  }
  return (yield* rowsOfEntry(entryId, entry)).filter(({ seq }) => seq > after).slice(0, limit);
}

/** Rare rows have an index; the others are between the first and last row of a chain. */
function* rowsOfEntry(
  entryId: string,
  { open_seq, start_seq, close_seq, last_seq, elsewhere }: Row,
): Script<readonly ChainRow[]> {
  const rare = yield {
    sql: `SELECT * FROM haft_records WHERE entry_id = ? AND ${rareRowsSql}`,
    values: [entryId],
  };
  const found = new Map(rare.map((row) => [Number(row.seq), row]));
  const first = Number(open_seq);
  const lasts = [start_seq, close_seq, last_seq].flatMap((seq) => (typeof seq === "number" ? [seq] : []));
  for (const last of [...lasts, ...parseOtherChainRows(elsewhere as string | null)]) {
    const from = chainOf(last) === chainOf(first) ? first : last;
    const rows = yield {
      sql: "SELECT * FROM haft_records WHERE entry_id = ? AND seq >= ? AND seq <= ?",
      values: [entryId, from, last],
    };
    for (const row of rows) found.set(Number(row.seq), row);
  }
  const rows = [...found.values()].map(toChainRow).sort((one, other) => one.seq - other.seq);
  // Sequence numbers order rows only within one chain.
  return elsewhere === null ? rows : rows.sort((one, other) => one.at - other.at);
}
