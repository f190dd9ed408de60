import type { SqlValue } from "../durable/database.ts";

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
