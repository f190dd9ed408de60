import { canonicalJson } from "../../../base/json/canonical-json.ts";
import { lockFreeChains, readHead } from "../chain/chains.ts";
import { chainOf } from "../chain/signed-row.ts";
import type { Script } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";
import type { Operation } from "../group-writer.ts";
import type { Transaction } from "../transaction.ts";
import type { ChainSegment, MonthTablePair } from "./survey-month.ts";

/** Returns false if another process prunes or owns a chain that ends in the month. */
export const markMonthPruned = (
  dialect: SqlDialect,
  { last }: MonthTablePair,
  stretches: readonly ChainSegment[],
  at: number,
): Operation<boolean> => ({
  entryIds: [],
  *run(transaction) {
    yield* transaction.flush();
    const idle = yield* idleChains(dialect, transaction, stretches);
    if (idle === undefined || !(yield* hasUnchangedBeginnings(dialect, stretches))) return false;
    for (const { chain, last: upTo, hash, rows, entries } of stretches) {
      yield {
        sql: "UPDATE haft_anchor SET seq = ?, hash = ? WHERE chain = ?",
        values: [upTo, hash, chain],
      };
      const body = canonicalJson({ upTo, hash, rows, entries });
      const tell = (): void => {
        transaction.append({ at, kind: "pruned", entryId: null, runId: null, body });
      };
      // The next owner of a chain learns its key from its last row.
      if (idle.has(chain)) yield* transaction.onChain(chain, tell);
      else tell();
    }
    yield {
      sql: `INSERT INTO haft_meta (name, value) VALUES ('months_from', ?)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      values: [String(last + 1)],
    };
    return true;
  },
});

/** Undefined if a chain that ends in the month is owned. */
function* idleChains(
  dialect: SqlDialect,
  transaction: Transaction,
  stretches: readonly ChainSegment[],
): Script<ReadonlySet<number> | undefined> {
  const free = new Set(yield* lockFreeChains(dialect));
  const idle = new Set<number>();
  for (const { chain, last } of stretches) {
    if (chain === chainOf(transaction.head.seq) || (yield* readHead(chain)).seq > last) continue;
    if (!free.has(chain)) return undefined;
    idle.add(chain);
  }
  return idle;
}

function* hasUnchangedBeginnings(
  { lockRows }: SqlDialect,
  stretches: readonly ChainSegment[],
): Script<boolean> {
  const anchors = yield {
    sql: `SELECT chain, seq FROM haft_anchor ORDER BY chain ${lockRows}`,
    values: [],
  };
  const seqOf = new Map(anchors.map(({ chain, seq }) => [Number(chain), Number(seq)]));
  return stretches.every(({ chain, first }) => seqOf.get(chain) === first - 1);
}

/** Rows of other tables. */
export interface MonthData {
  readonly entryIds: readonly string[];
  readonly approvals: readonly string[];
  readonly runIds: readonly string[];
}

const maxPerTransaction = 500;

export function* readMonthData(
  { entries }: MonthTablePair,
  stretches: readonly ChainSegment[],
  after: number,
): Script<MonthData & { readonly upTo: number }> {
  const keeping =
    entries === undefined
      ? []
      : yield {
          sql: `SELECT entry_id, open_seq FROM ${entries} WHERE (keyed = 1 OR payloads = 1) AND open_seq > ?
                ORDER BY open_seq LIMIT ${maxPerTransaction}`,
          values: [after],
        };
  const asked =
    entries === undefined
      ? []
      : yield {
          sql: `SELECT a.id FROM haft_approvals a WHERE EXISTS
                (SELECT 1 FROM ${entries} e WHERE e.entry_id = a.entry_id) LIMIT ${maxPerTransaction}`,
          values: [],
        };
  const runs = yield {
    sql: `SELECT h.run_id FROM json_to_recordset(CAST(? AS json)) AS v(first bigint, last bigint)
          JOIN haft_runs h ON h.began_seq BETWEEN v.first AND v.last LIMIT ${maxPerTransaction}`,
    values: [JSON.stringify(stretches.map(({ first, last }) => ({ first, last })))],
  };
  return {
    entryIds: keeping.map(({ entry_id }) => String(entry_id)),
    upTo: keeping.length < maxPerTransaction ? Number.MAX_SAFE_INTEGER : Number(keeping.at(-1)?.open_seq),
    approvals: asked.map(({ id }) => String(id)),
    runIds: runs.map(({ run_id }) => String(run_id)),
  };
}

export const deleteMonthData = (
  { amongTexts }: SqlDialect,
  { entryIds, approvals, runIds }: MonthData,
): Operation<number> => ({
  entryIds: [],
  *run(transaction) {
    yield* transaction.flush();
    const among = (ids: readonly string[]) => [JSON.stringify(ids)];
    const payloads = yield {
      sql: `DELETE FROM haft_payloads WHERE entry_id ${amongTexts} RETURNING file`,
      values: among(entryIds),
    };
    transaction.trash(payloads);
    yield { sql: `DELETE FROM haft_keys WHERE entry_id ${amongTexts}`, values: among(entryIds) };
    yield { sql: `DELETE FROM haft_approvals WHERE id ${amongTexts}`, values: among(approvals) };
    const messages = yield {
      sql: `DELETE FROM haft_run_messages WHERE run_id ${amongTexts} RETURNING file`,
      values: among(runIds),
    };
    transaction.trash(messages);
    yield { sql: `DELETE FROM haft_runs WHERE run_id ${amongTexts}`, values: among(runIds) };
    return payloads.length;
  },
});
