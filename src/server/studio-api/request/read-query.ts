import type { ApiContext, QueryField } from "../api-context.ts";
import { invalidRequestError } from "../api-error.ts";
import { anyType, integerType, stringType } from "../schemas/schema-builders.ts";

type QueryValues = ApiContext["query"];

export const readTime = (query: QueryValues, name: string): number | undefined => {
  const given = query[name];
  if (given === undefined || given === "") return undefined;
  const time = /^-?\d+(\.\d+)?$/.test(given) ? Number(given) : Date.parse(given);
  if (Number.isFinite(time)) return time;
  throw invalidRequestError(`\`${name}\` is a time: milliseconds since 1970, or 2026-01-31T12:00:00Z.`);
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
  throw invalidRequestError(`\`${name}\` is a whole number from 1 to ${maxCount}.`);
};

export const readChoice = <const Words extends readonly string[]>(
  query: QueryValues,
  name: string,
  words: Words,
): Words[number] | undefined => {
  const given = query[name];
  if (given === undefined || given === "") return undefined;
  if (words.includes(given)) return given;
  throw invalidRequestError(`\`${name}\` is one of ${words.join(", ")}.`);
};

export const readText = (query: QueryValues, name: string): string | undefined =>
  query[name] === "" ? undefined : query[name];

/** Opaque to clients. */
export const toCursor = (value: unknown): string =>
  Buffer.from(JSON.stringify(value), "utf8").toString("base64url");

export const readCursor = (query: QueryValues): string | undefined => {
  const given = query.cursor;
  if (given === undefined || given === "") return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(given, "base64url").toString("utf8"));
    if (typeof value === "string") return value;
  } catch {
    // Falls through to the error below.
  }
  throw invalidRequestError("`cursor` is none that this API gave. Begin without one.");
};

export const queryFields = {
  limit: { schema: integerType, about: "The most that one answer lists." },
  cursor: { schema: stringType, about: "`next` or `previous` of the page before." },
  since: { schema: anyType, about: "At or after this time: milliseconds since 1970, or ISO 8601." },
  until: { schema: anyType, about: "At or before this time." },
} as const satisfies Readonly<Record<string, QueryField>>;
