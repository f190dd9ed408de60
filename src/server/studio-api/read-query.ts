import { headOf, shorten } from "../../base/text/cut-text.ts";
import type { ApiContext, QueryField } from "./api-context.ts";
import { invalidRequestError } from "./api-error.ts";
import { anyType, integerType, stringType } from "./schemas/schema-builders.ts";
import type { Text } from "./schemas/shared.ts";

type QueryValues = ApiContext["query"];

export const readTime = (query: QueryValues, name: string): number | undefined => {
  const given = query[name];
  if (given === undefined || given === "") return undefined;
  const time = /^-?\d+(\.\d+)?$/.test(given) ? Number(given) : Date.parse(given);
  if (Number.isFinite(time)) return time;
  throw invalidRequestError(
    `\`${name}\` must be a time: milliseconds since 1970, or a date such as 2026-01-31T12:00:00Z.`,
  );
};

export const readCount = (
  query: QueryValues,
  name: string,
  defaultCount: number,
  maxCount: number,
): number => {
  const given = query[name];
  if (given === undefined || given === "") return defaultCount;
  const count = Number(given);
  if (Number.isInteger(count) && count >= 1 && count <= maxCount) return count;
  throw invalidRequestError(`\`${name}\` must be an integer from 1 to ${maxCount}.`);
};

export const readChoice = <const Words extends readonly string[]>(
  query: QueryValues,
  name: string,
  words: Words,
): Words[number] | undefined => {
  const given = query[name];
  if (given === undefined || given === "") return undefined;
  if (words.includes(given)) return given;
  throw invalidRequestError(`\`${name}\` must be one of ${words.join(", ")}.`);
};

export const readText = (query: QueryValues, name: string): string | undefined =>
  query[name] === "" ? undefined : query[name];

export const toCursor = (value: unknown): string =>
  Buffer.from(JSON.stringify(value), "utf8").toString("base64url");

export const readCursor = (query: QueryValues): string | undefined => {
  const given = query.cursor;
  if (given === undefined || given === "") return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(given, "base64url").toString("utf8"));
    if (typeof value === "string") return value;
  } catch {
    // Reported below.
  }
  throw invalidRequestError("`cursor` is invalid. Use `next` or `previous` of a page, or leave it out.");
};

export const queryFields = {
  limit: { schema: integerType, about: "Maximum number of items." },
  cursor: { schema: stringType, about: "`next` or `previous` of another page." },
  since: { schema: anyType, about: "Start of the time range: milliseconds since 1970, or ISO 8601." },
  until: { schema: anyType, about: "End of the time range, in the same formats." },
} as const satisfies Readonly<Record<string, QueryField>>;

/** In characters. The full text has a URL of its own. */
const maxTextLength = 65_536;

/** Ledgers append it to texts that they truncate. */
const rowTruncationMark = "…[cut]";
const memoryTruncatedLength = 16_385;

export const isTruncatedInRow = (text: string): boolean =>
  text.endsWith(rowTruncationMark) || (text.length === memoryTruncatedLength && text.endsWith("…"));

export const toText = (text: string, href?: string): Text => {
  if (text.length <= maxTextLength) return isTruncatedInRow(text) ? { text, isTruncated: true } : { text };
  return {
    text: headOf(text, maxTextLength).toWellFormed(),
    isTruncated: true,
    length: text.length,
    ...(href === undefined ? {} : { href }),
  };
};

export const textBeginning = (text: string, maxLength = 200): string =>
  shorten(text, maxLength).toWellFormed();

type DefinedFields<T> = { [K in keyof T]?: Exclude<T[K], undefined | null> };

export const definedFields = <T extends object>(fields: T): DefinedFields<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as DefinedFields<T>;
