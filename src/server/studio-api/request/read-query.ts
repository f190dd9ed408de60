import { invalid } from "../refused.ts";
import { any, integer, text } from "../schemas/shape.ts";
import type { QueryField, Visit } from "../visit.ts";

type Query = Visit["query"];

/** A time in milliseconds since 1970, or as ISO 8601 spells it. */
export const readTime = (query: Query, name: string): number | undefined => {
  const given = query[name];
  if (given === undefined || given === "") return undefined;
  const time = /^-?\d+(\.\d+)?$/.test(given) ? Number(given) : Date.parse(given);
  if (Number.isFinite(time)) return time;
  throw invalid(`\`${name}\` is a time: milliseconds since 1970, or 2026-01-31T12:00:00Z.`);
};

export const readCount = (query: Query, name: string, unless: number, most: number): number => {
  const given = query[name];
  if (given === undefined || given === "") return unless;
  const count = Number(given);
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw invalid(`\`${name}\` is a whole number from 1 to ${most}.`);
};

export const readWord = <const Words extends readonly string[]>(
  query: Query,
  name: string,
  words: Words,
): Words[number] | undefined => {
  const given = query[name];
  if (given === undefined || given === "") return undefined;
  if (words.includes(given)) return given;
  throw invalid(`\`${name}\` is one of ${words.join(", ")}.`);
};

export const readName = (query: Query, name: string): string | undefined =>
  query[name] === "" ? undefined : query[name];

/** Cursors mean nothing to whoever carries them. */
export const toCursor = (value: unknown): string =>
  Buffer.from(JSON.stringify(value), "utf8").toString("base64url");

export const readCursor = (query: Query): string | undefined => {
  const given = query.cursor;
  if (given === undefined || given === "") return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(given, "base64url").toString("utf8"));
    if (typeof value === "string") return value;
  } catch {
    // Told below.
  }
  throw invalid("`cursor` is none that this API gave. Begin without one.");
};

/** Descriptions of what several resources take. */
export const queryFields = {
  limit: { schema: integer, about: "The most that one answer lists." },
  cursor: { schema: text, about: "`next` or `previous` of the page before." },
  since: { schema: any, about: "At or after this time: milliseconds since 1970, or ISO 8601." },
  until: { schema: any, about: "At or before this time." },
} as const satisfies Readonly<Record<string, QueryField>>;
