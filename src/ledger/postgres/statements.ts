import { hashText } from "../../base/json/hash.ts";
import type { DatabaseStep, SqlValue } from "../durable/database.ts";
import { toParameter } from "./type-parsers.ts";

/** What `pg` is given. A name lets the server keep the plan. */
export interface PgStatement {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
  readonly query_timeout?: number;
}

/** More names than this would only fill the server's memory: such texts are not the same twice. */
const maxStatementNames = 300;
/** Rows of one INSERT. Beyond it a statement gets no faster, and each number of rows is a text of its own. */
const maxRowsPerInsert = 64;

const quotedOrPlaceholder =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|\?/g;
const preparablePattern = /^\s*(select|insert|update|delete|with)\b[^;]*$/i;

/** Each `?` that stands for a value becomes `$1`, `$2`, and so on; in quoted text and comments it is a question mark. */
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

/** Fails where not exactly so many rows come back. */
const checkText = (sql: string): string =>
  `WITH found AS (${sql}) SELECT 1 / CASE WHEN count(*) = ? THEN 1 ELSE 0 END FROM found`;

/**
 * Turns what scripts yield into statements, and remembers each text, so that it is read only once. A name is made from
 * its text: behind a pool another process may have given the same name already, and then it means the same.
 */
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
