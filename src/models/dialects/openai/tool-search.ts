import type { JsonObject } from "../../../base/json/is-object.ts";
import { foreignFieldsOf } from "../calls/read-untyped-fields.ts";
import { toItems } from "../model-reply.ts";
import type { OfferedTool } from "../offered-tool.ts";
import {
  type DeferrableTool,
  isVersionAtLeast,
  type SearchableNames,
  withProviderSearch,
} from "../provider-search.ts";
import type { OpenAIResponsesTool } from "./to-openai-responses.ts";

const searchTool = Object.freeze({ type: "tool_search" });

export type ResponsesSearchableTool = typeof searchTool | DeferrableTool<OpenAIResponsesTool>;

export const withResponsesSearch = (
  listed: readonly OfferedTool[],
  tools: readonly OpenAIResponsesTool[],
): readonly ResponsesSearchableTool[] => withProviderSearch(searchTool, listed, tools);

export const searchedItem = (item: JsonObject, names: SearchableNames): readonly JsonObject[] => {
  if (item.type !== "tool_search_call" && item.type !== "tool_search_output") return [item];
  if (names === undefined) return [];
  if (item.type === "tool_search_call" || !Array.isArray(item.tools)) return [item];
  return [
    { ...item, tools: toItems(item.tools).filter((one) => names.has(String(foreignFieldsOf(one).name))) },
  ];
};

const version = /^gpt-(\d+)(?:\.(\d+))?/;

export const canSearchTools = (modelId: string): boolean => isVersionAtLeast(modelId, version, [5, 4]);
