import type { JsonObject } from "../../json/is-object.ts";
import { fieldsOf } from "../calls/fields.ts";
import { type FoundNames, type MarkedTool, withSearch } from "../deferred.ts";
import type { OfferedTool } from "../listed.ts";
import { itemsOf } from "../reply.ts";
import type { AnthropicTool } from "./to-anthropic.ts";

const searchTool = Object.freeze({ type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" });

/** As a request takes them. */
export type AnthropicSearchedTool = typeof searchTool | MarkedTool<AnthropicTool>;

export const withAnthropicSearch = (
  listed: readonly OfferedTool[],
  tools: readonly AnthropicTool[],
): readonly AnthropicSearchedTool[] => withSearch(searchTool, listed, tools);

/**
 * A block of an earlier reply as this request can say it again. The provider refuses a reference to a tool that the
 * request does not define, and a search that the request does not have.
 */
export const searchedBlock = (block: JsonObject, names: FoundNames): readonly JsonObject[] => {
  const isSearch = block.type === "server_tool_use" && searches.test(String(block.name));
  if (!isSearch && block.type !== "tool_search_tool_result") return [block];
  if (names === undefined) return [];
  const { tool_references: found, ...content } = fieldsOf(block.content);
  if (isSearch || !Array.isArray(found)) return [block];
  const known = itemsOf(found).filter((one) => names.has(String(fieldsOf(one).tool_name)));
  return [{ ...block, content: { ...content, tool_references: known } }];
};

const searches = /^tool_search_tool_/;
