import type { JsonObject } from "../../../base/json/is-object.ts";
import { foreignFieldsOf } from "../calls/foreign-fields.ts";
import { toItems } from "../model-reply.ts";
import type { OfferedTool } from "../offered-tool.ts";
import { type DeferrableTool, type SearchableNames, withProviderSearch } from "../provider-search.ts";
import type { AnthropicTool } from "./to-anthropic.ts";

const searchTool = Object.freeze({ type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" });

/** As a request takes them. */
export type AnthropicSearchableTool = typeof searchTool | DeferrableTool<AnthropicTool>;

export const withAnthropicSearch = (
  listed: readonly OfferedTool[],
  tools: readonly AnthropicTool[],
): readonly AnthropicSearchableTool[] => withProviderSearch(searchTool, listed, tools);

/**
 * A block of an earlier reply as this request can say it again. The provider refuses a reference to a tool that the
 * request does not define, and a search that the request does not have.
 */
export const searchedBlock = (block: JsonObject, names: SearchableNames): readonly JsonObject[] => {
  if (!isToolSearch(block)) return [block];
  if (names === undefined) return [];
  const { tool_references: found, ...content } = foreignFieldsOf(block.content);
  if (block.type === "server_tool_use" || !Array.isArray(found)) return [block];
  const known = toItems(found).filter((one) => names.has(String(foreignFieldsOf(one).tool_name)));
  return [{ ...block, content: { ...content, tool_references: known } }];
};

/** Whether a block is a search among the request's own tools, or its result: by its kind, since a remote tool may have any name. */
export const isToolSearch = ({ type, name }: JsonObject): boolean =>
  type === "tool_search_tool_result" || (type === "server_tool_use" && searchToolPattern.test(String(name)));

const searchToolPattern = /^tool_search_tool_(bm25|regex)$/;
