import type { JsonObject } from "../../json/is-object.ts";
import { fieldsOf } from "../calls/fields.ts";
import type { OfferedTool } from "../listed.ts";
import { itemsOf } from "../reply.ts";
import type { OpenAIResponsesTool } from "./to-openai-responses.ts";

const searchTool = Object.freeze({ type: "tool_search" });

/** As a request takes them: of a tool with `defer_loading` the model knows the parameters once a search loaded it. */
export type ResponsesSearchedTool =
  | typeof searchTool
  | (OpenAIResponsesTool & { readonly defer_loading?: true });

/** The tools with the provider's search before them, where one of them is deferred; else as they are. */
export const withResponsesSearch = (
  listed: readonly OfferedTool[],
  tools: readonly OpenAIResponsesTool[],
): readonly ResponsesSearchedTool[] => {
  const deferred = new Set(listed.flatMap((one) => (one.deferred === true ? [one.wireName] : [])));
  if (deferred.size === 0) return tools;
  const marked = tools.map((one) =>
    deferred.has(one.name) ? { ...one, defer_loading: true as const } : one,
  );
  return [searchTool, ...marked];
};

/** The names that an earlier search may have loaded, where this request searches too. */
export type LoadedNames = ReadonlySet<string> | undefined;

export const loadedNames = (listed: readonly OfferedTool[]): LoadedNames =>
  listed.some(({ deferred }) => deferred === true)
    ? new Set(listed.map(({ wireName }) => wireName))
    : undefined;

/**
 * An item of an earlier reply as this request can say it again: without a search that the request does not have, and
 * without definitions of tools that may no longer be shown.
 */
export const searchedItem = (item: JsonObject, names: LoadedNames): readonly JsonObject[] => {
  if (item.type !== "tool_search_call" && item.type !== "tool_search_output") return [item];
  if (names === undefined) return [];
  if (item.type === "tool_search_call" || !Array.isArray(item.tools)) return [item];
  return [{ ...item, tools: itemsOf(item.tools).filter((one) => names.has(String(fieldsOf(one).name))) }];
};

const version = /^gpt-(\d+)(?:\.(\d+))?/;

/** Whether models of this name search tools: those of 5.4 and later do. */
export const searchesTools = (modelId: string): boolean => {
  const [, major, minor = "0"] = version.exec(modelId) ?? [];
  if (major === undefined) return false;
  return Number(major) > 5 || (Number(major) === 5 && Number(minor) >= 4);
};
