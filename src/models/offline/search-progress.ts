import { isObject } from "../../base/json/is-object.ts";
import type { Message, ToolMessage } from "../../types/message.ts";
import type { OfferedTool } from "../dialects/offered-tool.ts";

/** What any model is told that these two are called. */
export const searchCallName = "search_tools";
export const loadCallName = "load_tools";

export const isSearchTool = (name: string): boolean => name === searchCallName || name === loadCallName;

/** One of the two alone is a tool like any other. */
export const isSearchable = (tools: readonly OfferedTool[]): boolean =>
  tools.filter(({ wireName }) => isSearchTool(wireName)).length === 2;

/** As much as the search takes. */
export const maxQueryLength = 2_000;

/** How far a search for tools has come since somebody last asked something. */
export type SearchProgress =
  | { readonly kind: "not" }
  | { readonly kind: "found"; readonly names: readonly string[] }
  | { readonly kind: "loaded"; readonly names: readonly string[] }
  | { readonly kind: "none"; readonly why: string };

export const notSearched: SearchProgress = { kind: "not" };

export const readSearchProgress = (since: readonly Message[]): SearchProgress => {
  const replies = since.filter((one): one is ToolMessage => one.role === "tool" && isSearchTool(one.tool));
  const last = replies.at(-1);
  if (last === undefined) return notSearched;
  if (!last.ok) return { kind: "none", why: last.content };
  const content = parseContent(last.content);
  if (last.tool === loadCallName)
    return { kind: "loaded", names: [...toTexts(content.loaded), ...toTexts(content.already)] };
  const names = bestToolNames(content);
  const why = typeof content.none === "string" ? content.none : "The search for tools found nothing.";
  return names.length === 0 ? { kind: "none", why } : { kind: "found", names };
};

/** The best tool, or the best of each wish where there are several. */
const bestToolNames = ({ tools, wishes }: Readonly<Record<string, unknown>>): readonly string[] => {
  const each = toList(wishes).flatMap((wish) => toTexts(isObject(wish) ? wish.tools : undefined).slice(0, 1));
  if (each.length > 0) return [...new Set(each)];
  return toList(tools)
    .flatMap((one) => (isObject(one) && typeof one.name === "string" ? [one.name] : []))
    .slice(0, 1);
};

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const toTexts = (value: unknown): readonly string[] => toList(value).filter((one) => typeof one === "string");

const parseContent = (content: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(content);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
};
