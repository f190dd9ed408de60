import type { JsonObject } from "../../../base/json/json-value.ts";
import { foreignFieldsOf } from "../calls/wire-reader.ts";
import type { OfferedTool } from "../exporter.ts";
import { type DeferrableTool, type SearchableNames, toItems, withProviderSearch } from "../model-reply.ts";
import type { AnthropicTool } from "./to-anthropic.ts";

const searchTool = Object.freeze({ type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" });

export type AnthropicSearchableTool = typeof searchTool | DeferrableTool<AnthropicTool>;

export const withAnthropicSearch = (
  listed: readonly OfferedTool[],
  tools: readonly AnthropicTool[],
): readonly AnthropicSearchableTool[] => withProviderSearch(searchTool, listed, tools);

/** The provider refuses references to tools and searches that the request does not define. */
export const searchedBlock = (block: JsonObject, names: SearchableNames): readonly JsonObject[] => {
  if (!isToolSearch(block)) return [block];
  if (names === undefined) return [];
  const { tool_references: found, ...content } = foreignFieldsOf(block.content);
  if (block.type === "server_tool_use" || !Array.isArray(found)) return [block];
  const known = toItems(found).filter((one) => names.has(String(foreignFieldsOf(one).tool_name)));
  return [{ ...block, content: { ...content, tool_references: known } }];
};

/** Matches the type, because a remote tool may have any name. */
export const isToolSearch = ({ type, name }: JsonObject): boolean =>
  type === "tool_search_tool_result" || (type === "server_tool_use" && searchToolPattern.test(String(name)));

const searchToolPattern = /^tool_search_tool_(bm25|regex)$/;
