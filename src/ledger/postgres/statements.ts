import { hashText } from "../../base/json/canonical-json.ts";
import type { DatabaseStep, SqlValue } from "../durable/database.ts";

/** The name makes the server cache the plan. */
export interface PgStatement {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
  readonly query_timeout?: number;
}

/** Limits the server's memory. */
const maxStatementNames = 300;
/** Each number of rows is a separate statement text. */
const maxRowsPerInsert = 64;

const quotedOrPlaceholder =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|\?/g;
const preparablePattern = /^\s*(select|insert|update|delete|with)\b[^;]*$/i;

/** Except in quoted text and comments. */
export const toNumbered = (sql: string): string => {
  let last = 0;
  return sql.replace(quotedOrPlaceholder, (found) => {
    if (found !== "?") return found;
    last += 1;
    return `$${last}`;
  });
};

const insertText = (insert: string, columns: readonly string[], rows: number): string => {
  const row = `(${columns.map(() => "?").join(", ")})`;
  return `INSERT INTO ${insert} (${columns.join(", ")}) VALUES ${Array(rows).fill(row).join(", ")}`;
};

const checkText = (sql: string): string =>
  `WITH found AS (${sql}) SELECT 1 / CASE WHEN count(*) = ? THEN 1 ELSE 0 END FROM found`;

/**
 * PostgreSQL cannot store U+0000. It is stored as this private character and a zero; the character itself is
 * doubled.
 */
const escapeMark = "\uE000";
const escapedPattern = new RegExp(`[\\0${escapeMark}]`);

export const toParameter = (value: SqlValue): unknown =>
  typeof value === "string" && escapedPattern.test(value)
    ? value.replaceAll(escapeMark, escapeMark + escapeMark).replaceAll("\0", `${escapeMark}0`)
    : value;

const readText = (text: string): string =>
  text.includes(escapeMark)
    ? text.replace(/\uE000([\uE0000])/g, (_, kind: string) => (kind === "0" ? "\0" : escapeMark))
    : text;

const readBytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.slice(2), "hex"));

const readers: Readonly<Record<number, (text: string) => SqlValue>> = {
  // As in SQLite.
  16: (text) => (text === "t" ? 1 : 0),
  17: readBytes,
  // All numbers of the ledger are below 2^53.
  20: Number,
  21: Number,
  23: Number,
  26: Number,
  700: Number,
  701: Number,
  1700: Number,
};

export const typeParsers = {
  getTypeParser: (type: number): ((text: string) => SqlValue) => readers[type] ?? readText,
};

/** Names are derived from the text, so that processes behind a pooler agree on them. */
export const createStatementBuilder = (
  areNamed: () => boolean,
): ((step: DatabaseStep) => readonly PgStatement[]) => {
  const known = new Map<string, Omit<PgStatement, "values">>();

  const prepared = (sql: string): Omit<PgStatement, "values"> => {
    const found = known.get(sql);
    if (found !== undefined) return found;
    const text = toNumbered(sql);
    if (known.size >= maxStatementNames) return { text };
    const isNamed = areNamed() && preparablePattern.test(text);
    const made = isNamed ? { name: `haft_${hashText(text).slice(0, 24)}`, text } : { text };
    known.set(sql, made);
    return made;
  };
  const statement = (sql: string, values: readonly SqlValue[]): PgStatement => ({
    ...prepared(sql),
    values: values.map(toParameter),
  });

  return (step) => {
    if ("sql" in step) return [statement(step.sql, step.values)];
    if ("post" in step) return [statement(step.post, step.values)];
    if ("check" in step) return [statement(checkText(step.check), [...step.values, step.rows])];
    if ("repeat" in step) return step.each.map((values) => statement(step.repeat, values));
    const { insert, columns, rows } = step;
    const made: PgStatement[] = [];
    for (let from = 0; from < rows.length; from += maxRowsPerInsert) {
      const some = rows.slice(from, from + maxRowsPerInsert);
      made.push(statement(insertText(insert, columns, some.length), some.flat()));
    }
    return made;
  };
};
