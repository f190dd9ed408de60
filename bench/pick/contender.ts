import type { DataTool } from "./data.ts";

/** An id and a score, best first. */
export type Hit = readonly [id: string, score: number];

type Late<Value> = Value | Promise<Value>;

/** A catalogue that a contender can search. */
export interface Catalogue {
  readonly search: (query: string, limit: number) => Late<readonly Hit[]>;
  /** The best score among the candidate tools of a query; 0 if none is found. */
  readonly bestAmong: (query: string, ids: readonly string[]) => Late<number>;
}

export interface Contender {
  readonly name: string;
  readonly open: (tools: readonly DataTool[]) => Late<Catalogue>;
}

/** Common words of queries, for contenders without a stop word list. */
export const stopWords: readonly string[] =
  `a an and any are as at be been being but by can could did do does for from had has have he her his how i if in into
  is it its let like may me might must my need no not of on or our please shall she should so some that the their them
  then there these they this those to us want was we were what when where which who whom why will with would you
  your`.split(/\s+/);

/** Names and descriptions of parameters, four levels deep, for contenders that take texts. */
export const parameterText = (schema: unknown, depth = 0): string => {
  if (depth > 3 || typeof schema !== "object" || schema === null) return "";
  const { properties } = schema as { readonly properties?: Readonly<Record<string, unknown>> };
  return Object.entries(properties ?? {})
    .map(([name, value]) => {
      const { description, items } = (value ?? {}) as {
        readonly description?: unknown;
        readonly items?: unknown;
      };
      const about = typeof description === "string" ? description : "";
      return `${name} ${about} ${parameterText(value, depth + 1)} ${parameterText(items, depth + 1)}`;
    })
    .join(" ");
};

/** Splits `sayHello` into words, for contenders that do not split identifiers. */
export const split = (text: string): string =>
  text
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replaceAll(/[_.\-/]+/g, " ");
