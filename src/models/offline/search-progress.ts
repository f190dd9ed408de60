import type { OfferedTool } from "../../dialects/listed.ts";
import { isObject } from "../../json/is-object.ts";
import type { Message, ToolMessage } from "../../words/message.ts";

/** What any model is told that these two are called. */
export const searchTool = "search_tools";
export const loadTool = "load_tools";

export const isSearch = (name: string): boolean => name === searchTool || name === loadTool;

/** One of the two alone is a tool like any other. */
export const isSearchable = (tools: readonly OfferedTool[]): boolean =>
  tools.filter(({ wireName }) => isSearch(wireName)).length === 2;

/** As much as the search takes. */
export const longestQuery = 2_000;

/** How far a search for tools has come since somebody last asked something. */
export type Searched =
  | { readonly kind: "not" }
  | { readonly kind: "found"; readonly names: readonly string[] }
  | { readonly kind: "loaded"; readonly names: readonly string[] }
  | { readonly kind: "none"; readonly why: string };

export const notSearched: Searched = { kind: "not" };

export const readSearch = (since: readonly Message[]): Searched => {
  const replies = since.filter((one): one is ToolMessage => one.role === "tool" && isSearch(one.tool));
  const last = replies.at(-1);
  if (last === undefined) return notSearched;
  if (!last.ok) return { kind: "none", why: last.content };
  const said = parsed(last.content);
  if (last.tool === loadTool)
    return { kind: "loaded", names: [...texts(said.loaded), ...texts(said.already)] };
  const names = wanted(said);
  const why = typeof said.none === "string" ? said.none : "The search for tools found nothing.";
  return names.length === 0 ? { kind: "none", why } : { kind: "found", names };
};

/** The best tool, or the best of each wish where there are several. */
const wanted = ({ tools, wishes }: Readonly<Record<string, unknown>>): readonly string[] => {
  const each = list(wishes).flatMap((wish) => texts(isObject(wish) ? wish.tools : undefined).slice(0, 1));
  if (each.length > 0) return [...new Set(each)];
  return list(tools)
    .flatMap((one) => (isObject(one) && typeof one.name === "string" ? [one.name] : []))
    .slice(0, 1);
};

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const texts = (value: unknown): readonly string[] => list(value).filter((one) => typeof one === "string");

const parsed = (content: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(content);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
};
