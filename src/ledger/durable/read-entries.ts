import { spellingsOf } from "../../tools/tool-name.ts";
import type { ChainHead, ChainQuery, ChainRow, LedgerAnchor } from "../../types/durable-ledger.ts";
import type { EntryTexts, LedgerEntry, LedgerQuery } from "../../types/ledger.ts";
import { readAnchor } from "./anchors/write-anchor.ts";
import { rareRowsSql } from "./approvals/approval-history.ts";
import { callIdCondition } from "./call-index.ts";
import { chainsWithRows, readHead } from "./chain/chains.ts";
import { chainOf, chainStart, toChainRow } from "./chain/signed-row.ts";
import type { Query, Row, Script, SqlValue } from "./database.ts";
import type { SqlDialect } from "./dialect.ts";
import { parseOtherChainRows } from "./entry-state.ts";
import { notExecutedSql } from "./leases/ledger-owners.ts";
import { toSealedText, type Vault } from "./payloads/vault.ts";
import { type StoredEnding, toEntryEnding } from "./stored-ending.ts";

/** Open entries of dead owners are `unknown`, even before that is recorded. */
export const endingSql = ({ amongTexts }: SqlDialect, dead: readonly string[]): string =>
  dead.length === 0
    ? "e.ending"
    : `CASE WHEN e.ending = 'open' AND e.owner ${amongTexts} THEN 'unknown' ELSE e.ending END`;

export const selectEntriesSql = (
  ending: string,
  entries = "haft_entries e",
): string => `SELECT e.entry_id, e.run_id, e.tool, e.at, ${ending} AS ending, o.body AS opened, s.body AS started,
  c.body AS closed FROM ${entries} JOIN haft_records o ON o.seq = e.open_seq AND o.month = e.month
  LEFT JOIN haft_records s ON s.seq = e.start_seq AND s.month >= e.month
  LEFT JOIN haft_records c ON c.seq = e.close_seq AND c.month >= e.month`;

type SqlCondition = readonly [sql: string, ...values: SqlValue[]];

/** On columns, so that the index on endings is used. */
const endingCondition = (
  { amongTexts }: SqlDialect,
  ending: LedgerEntry["ending"],
  dead: readonly string[],
): SqlCondition => {
  if (ending === "executed") return ["e.ending IN ('executed', 'settled')"];
  const isEnding = `e.${notExecutedSql} AND e.ending =`;
  if (dead.length === 0) return [`${isEnding} ?`, ending];
  const theirs = JSON.stringify(dead);
  if (ending === "open") return [`${isEnding} 'open' AND NOT (e.owner ${amongTexts})`, theirs];
  if (ending !== "unknown") return [`${isEnding} ?`, ending];
  return [
    `e.${notExecutedSql} AND e.ending IN ('open', 'unknown') AND (e.ending = 'unknown' OR e.owner ${amongTexts})`,
    theirs,
  ];
};

const effectCondition = ({ amongTexts }: SqlDialect, dead: readonly string[]): SqlCondition =>
  dead.length === 0
    ? [`e.${notExecutedSql} AND e.ending IN ('unknown', 'settled')`]
    : [
        `e.${notExecutedSql} AND e.ending IN ('open', 'unknown', 'settled') AND (e.ending <> 'open' OR e.owner ${amongTexts})`,
        JSON.stringify(dead),
      ];

/** Two names need a sort; one uses the order of the index. */
const toolCondition = (tool: string): SqlCondition => {
  const names = spellingsOf(tool);
  return names.length === 1 ? ["e.tool = ?", tool] : ["e.tool IN (?, ?)", ...names];
};

/** None if the given entry is unknown. */
const entryOrderCondition = (
  { placeOfEntry }: SqlDialect,
  side: "<" | ">",
  entryId: string,
): SqlCondition => [
  `(${placeOfEntry("e")}) ${side} (SELECT ${placeOfEntry("p")} FROM haft_entries p WHERE p.entry_id = ?)`,
  entryId,
];

const queryConditions = ({ dialect, dead }: ReadContext, query: LedgerQuery): readonly SqlCondition[] => {
  const equal: readonly (readonly [sql: string, value: SqlValue | undefined])[] = [
    ["e.entry_id = ?", query.entryId],
    ["e.run_id = ?", query.runId],
    ["e.agent = ?", query.agent],
    ["e.session = ?", query.session],
    ["e.at >= ?", query.since],
    ["e.at <= ?", query.until],
  ];
  return [
    ...equal.flatMap(([sql, value]): SqlCondition[] => (value === undefined ? [] : [[sql, value]])),
    ...(query.tool === undefined ? [] : [toolCondition(query.tool)]),
    ...(query.callId === undefined ? [] : [callIdCondition(dialect, query.callId)]),
    ...(query.ending === undefined ? [] : [endingCondition(dialect, query.ending, dead)]),
    ...(query.mayHaveTakenEffect === true ? [effectCondition(dialect, dead)] : []),
    ...(query.before === undefined ? [] : [entryOrderCondition(dialect, "<", query.before)]),
    ...(query.after === undefined ? [] : [entryOrderCondition(dialect, ">", query.after)]),
  ];
};

export interface ReadContext {
  readonly dialect: SqlDialect;
  readonly dead: readonly string[];
}

/** The newest entries, oldest first; with `after`, the first ones behind it. */
export function* selectEntries(looking: ReadContext, query: LedgerQuery): Script<readonly LedgerEntry[]> {
  const entries = (yield* readEntryRows(looking, query)).map((row) => toStoredEntry(row));
  return query.after === undefined ? entries.reverse() : entries;
}

function* readEntryRows(looking: ReadContext, query: LedgerQuery): Script<readonly Row[]> {
  return yield entriesQuery(looking, query);
}

export const entriesQuery = (looking: ReadContext, query: LedgerQuery): Query => {
  const { dialect, dead } = looking;
  const gone = dead.length === 0 ? [] : [JSON.stringify(dead)];
  const asked = queryConditions(looking, query);
  const where = asked.length === 0 ? "" : `WHERE ${asked.map(([sql]) => sql).join(" AND ")}`;
  const values = asked.flatMap(([, ...each]) => each);
  const most = query.limit === undefined ? [] : [Math.max(0, Math.floor(query.limit))];
  return {
    sql: `${selectEntriesSql(endingSql(dialect, dead))} ${where} ORDER BY ${query.after === undefined ? dialect.newestFirst : dialect.oldestFirst} ${most.length === 0 ? "" : "LIMIT ?"}`,
    values: [...gone, ...values, ...most],
  };
};

const parseBody = (body: SqlValue | undefined): Record<string, unknown> =>
  typeof body === "string" ? JSON.parse(body) : {};

const isBodyExact = (body: SqlValue | undefined): boolean => parseBody(body).isExact === true;

export const toStoredEntry = (row: Row): LedgerEntry => {
  const { isExact: _, ...opened } = parseBody(row.opened);
  const { isExact: __, ending: ___, behind: ____, ...closed } = parseBody(row.closed);
  return {
    agent: undefined,
    session: undefined,
    correlationId: undefined,
    ...opened,
    ...parseBody(row.started),
    ...(typeof row.closed === "string" ? { notes: [] } : {}),
    ...closed,
    entryId: String(row.entry_id),
    runId: String(row.run_id),
    tool: String(row.tool),
    at: Number(row.at),
    ending: toEntryEnding(row.ending as StoredEnding),
  } as unknown as LedgerEntry;
};

export function* recallStoredEntry(
  looking: ReadContext,
  vault: Vault,
  entryId: string,
): Script<EntryTexts | undefined> {
  const [row] = yield* readEntryRows(looking, { entryId });
  if (row === undefined) return undefined;
  const entry = toStoredEntry(row);
  const payloads = yield {
    sql: "SELECT kind, sealed, file FROM haft_payloads WHERE entry_id = ? AND kind IN ('input', 'result', 'parts')",
    values: [entryId],
  };
  const textOf = (kind: "input" | "result" | "parts"): string | undefined => {
    const kept = payloads.find((payload) => payload.kind === kind);
    return kept === undefined
      ? undefined
      : vault.unseal(toSealedText(kept.sealed, kept.file), `${entryId}/${kind}`);
  };
  const parts = entry.media === undefined ? undefined : textOf("parts");
  return {
    entry,
    ...(parts === undefined ? {} : { parts: JSON.parse(parts) }),
    input: isBodyExact(row.opened) ? entry.input : textOf("input"),
    result: isBodyExact(row.closed) ? entry.result : textOf("result"),
  };
}

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
