import { spellingsOf } from "../../tool/name.ts";
import type { LedgerEntry, LedgerQuery, Recalled } from "../../words/ledger.ts";
import { isOfCall } from "./call-index.ts";
import { notExecuted } from "./claim-tables.ts";
import type { Query, Row, Script, SqlValue } from "./database.ts";
import type { SqlDialect } from "./dialect.ts";
import { toSealed } from "./payloads/payload.ts";
import type { Vault } from "./payloads/vault.ts";

/** What is open with somebody who is gone reads `unknown`, whether or not anybody wrote that down. */
export const endingSql = ({ amongTexts }: SqlDialect, dead: readonly string[]): string =>
  dead.length === 0
    ? "e.ending"
    : `CASE WHEN e.ending = 'open' AND e.owner ${amongTexts} THEN 'unknown' ELSE e.ending END`;

export const selectSql = (
  ending: string,
  entries = "haft_entries e",
): string => `SELECT e.entry_id, e.run_id, e.tool, e.at, ${ending} AS ending, o.body AS opened, s.body AS started,
  c.body AS closed FROM ${entries} JOIN haft_records o ON o.seq = e.open_seq AND o.month = e.month
  LEFT JOIN haft_records s ON s.seq = e.start_seq AND s.month >= e.month
  LEFT JOIN haft_records c ON c.seq = e.close_seq AND c.month >= e.month`;

type SqlCondition = readonly [sql: string, ...values: SqlValue[]];

/** The same question as conditions on columns, so that the index on endings serves it. */
const endingIs = (
  { amongTexts }: SqlDialect,
  ending: LedgerEntry["ending"],
  dead: readonly string[],
): SqlCondition => {
  if (ending === "executed") return ["e.ending = 'executed'"];
  const isEnding = `e.${notExecuted} AND e.ending =`;
  if (dead.length === 0) return [`${isEnding} ?`, ending];
  const theirs = JSON.stringify(dead);
  if (ending === "open") return [`${isEnding} 'open' AND NOT (e.owner ${amongTexts})`, theirs];
  if (ending !== "unknown") return [`${isEnding} ?`, ending];
  return [
    `e.${notExecuted} AND e.ending IN ('open', 'unknown') AND (e.ending = 'unknown' OR e.owner ${amongTexts})`,
    theirs,
  ];
};

/** One name is looked up in the order of its index; two are put in order afterwards. */
const isOfTool = (tool: string): SqlCondition => {
  const names = spellingsOf(tool);
  return names.length === 1 ? ["e.tool = ?", tool] : ["e.tool IN (?, ?)", ...names];
};

/** On one side of an entry in the order of the ledger; on none of one that nobody knows. */
const isBeside = ({ placeOfEntry }: SqlDialect, side: "<" | ">", entryId: string): SqlCondition => [
  `(${placeOfEntry("e")}) ${side} (SELECT ${placeOfEntry("p")} FROM haft_entries p WHERE p.entry_id = ?)`,
  entryId,
];

const conditions = ({ dialect, dead }: Looking, query: LedgerQuery): readonly SqlCondition[] => {
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
    ...(query.tool === undefined ? [] : [isOfTool(query.tool)]),
    ...(query.callId === undefined ? [] : [isOfCall(dialect, query.callId)]),
    ...(query.ending === undefined ? [] : [endingIs(dialect, query.ending, dead)]),
    ...(query.before === undefined ? [] : [isBeside(dialect, "<", query.before)]),
    ...(query.after === undefined ? [] : [isBeside(dialect, ">", query.after)]),
  ];
};

/** Whose entries nobody closes any more, in which database. */
export interface Looking {
  readonly dialect: SqlDialect;
  readonly dead: readonly string[];
}

/** The newest so many, oldest first; behind an entry, the first so many. */
export function* selectEntries(looking: Looking, query: LedgerQuery): Script<readonly LedgerEntry[]> {
  const entries = (yield* rowsOf(looking, query)).map((row) => toEntry(row));
  return query.after === undefined ? entries.reverse() : entries;
}

function* rowsOf(looking: Looking, query: LedgerQuery): Script<readonly Row[]> {
  return yield entriesQuery(looking, query);
}

/** The statement that finds entries, newest first; behind an entry, oldest first. */
export const entriesQuery = (looking: Looking, query: LedgerQuery): Query => {
  const { dialect, dead } = looking;
  const gone = dead.length === 0 ? [] : [JSON.stringify(dead)];
  const asked = conditions(looking, query);
  const where = asked.length === 0 ? "" : `WHERE ${asked.map(([sql]) => sql).join(" AND ")}`;
  const values = asked.flatMap(([, ...each]) => each);
  const most = query.limit === undefined ? [] : [Math.max(0, Math.floor(query.limit))];
  return {
    sql: `${selectSql(endingSql(dialect, dead))} ${where} ORDER BY ${query.after === undefined ? dialect.newestFirst : dialect.oldestFirst} ${most.length === 0 ? "" : "LIMIT ?"}`,
    values: [...gone, ...values, ...most],
  };
};

const read = (body: SqlValue | undefined): Record<string, unknown> =>
  typeof body === "string" ? JSON.parse(body) : {};

const isExact = (body: SqlValue | undefined): boolean => read(body).isExact === true;

/** What was opened, how it started and what came of it, laid over each other. */
export const toEntry = (row: Row): LedgerEntry => {
  const { isExact: _, ...opened } = read(row.opened);
  const { isExact: __, ending: ___, behind: ____, ...closed } = read(row.closed);
  return {
    agent: undefined,
    session: undefined,
    correlationId: undefined,
    ...opened,
    ...read(row.started),
    ...(typeof row.closed === "string" ? { notes: [] } : {}),
    ...closed,
    entryId: String(row.entry_id),
    runId: String(row.run_id),
    tool: String(row.tool),
    at: Number(row.at),
    ending: row.ending,
  } as unknown as LedgerEntry;
};

/** The entry with its exact texts: from its rows where those have them, else from the payloads. */
export function* recalling(looking: Looking, vault: Vault, entryId: string): Script<Recalled | undefined> {
  const [row] = yield* rowsOf(looking, { entryId });
  if (row === undefined) return undefined;
  const entry = toEntry(row);
  const payloads = yield {
    sql: "SELECT kind, sealed, file FROM haft_payloads WHERE entry_id = ? AND kind IN ('input', 'result', 'parts')",
    values: [entryId],
  };
  const textOf = (kind: "input" | "result" | "parts"): string | undefined => {
    const kept = payloads.find((payload) => payload.kind === kind);
    return kept === undefined
      ? undefined
      : vault.unseal(toSealed(kept.sealed, kept.file), `${entryId}/${kind}`);
  };
  const parts = entry.media === undefined ? undefined : textOf("parts");
  return {
    entry,
    ...(parts === undefined ? {} : { parts: JSON.parse(parts) }),
    input: isExact(row.opened) ? entry.input : textOf("input"),
    result: isExact(row.closed) ? entry.result : textOf("result"),
  };
}
