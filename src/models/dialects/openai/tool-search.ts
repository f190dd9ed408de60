import type { JsonObject } from "../../json/is-object.ts";
import { fieldsOf } from "../calls/fields.ts";
import { type FoundNames, isSince, type MarkedTool, withSearch } from "../deferred.ts";
import type { OfferedTool } from "../listed.ts";
import { itemsOf } from "../reply.ts";
import type { OpenAIResponsesTool } from "./to-openai-responses.ts";

const searchTool = Object.freeze({ type: "tool_search" });

/** As a request takes them. */
export type ResponsesSearchedTool = typeof searchTool | MarkedTool<OpenAIResponsesTool>;

export const withResponsesSearch = (
  listed: readonly OfferedTool[],
  tools: readonly OpenAIResponsesTool[],
): readonly ResponsesSearchedTool[] => withSearch(searchTool, listed, tools);

/**
 * An item of an earlier reply as this request can say it again: without a search that the request does not have, and
 * without definitions of tools that may no longer be shown.
 */
export const searchedItem = (item: JsonObject, names: FoundNames): readonly JsonObject[] => {
  if (item.type !== "tool_search_call" && item.type !== "tool_search_output") return [item];
  if (names === undefined) return [];
  if (item.type === "tool_search_call" || !Array.isArray(item.tools)) return [item];
  return [{ ...item, tools: itemsOf(item.tools).filter((one) => names.has(String(fieldsOf(one).name))) }];
};

const version = /^gpt-(\d+)(?:\.(\d+))?/;

/** Whether models of this name search tools. */
export const searchesTools = (modelId: string): boolean => isSince(modelId, version, [5, 4]);
