import type { DataTool } from "./data.ts";

/** An id and a score, best first. */
export type Hit = readonly [id: string, score: number];

type Late<Value> = Value | Promise<Value>;

/** A catalogue that a contender can search. */
export interface Catalogue {
  readonly search: (query: string, limit: number) => Late<readonly Hit[]>;
  /** The best score among a few tools of the catalogue, as the question came with them; 0 where none is found. */
  readonly bestAmong: (query: string, ids: readonly string[]) => Late<number>;
}

export interface Contender {
  readonly name: string;
  readonly open: (tools: readonly DataTool[]) => Late<Catalogue>;
}

/** Names and words of the parameters, four levels deep, for contenders that take texts. */
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

/** `sayHello` in words, for contenders that do not split identifiers by themselves. */
export const split = (text: string): string =>
  text
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replaceAll(/[_.\-/]+/g, " ");
