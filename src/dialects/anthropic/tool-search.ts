import type { JsonObject } from "../../json/is-object.ts";
import { fieldsOf } from "../calls/fields.ts";
import type { OfferedTool } from "../listed.ts";
import { itemsOf } from "../reply.ts";
import type { AnthropicTool } from "./to-anthropic.ts";

const searchTool = Object.freeze({ type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" });

/** As a request takes them: `defer_loading` hides a tool until the provider's search refers to it. */
export type AnthropicSearchedTool = typeof searchTool | (AnthropicTool & { readonly defer_loading?: true });

/** The tools with the provider's search before them, where one of them is deferred; else as they are. */
export const withAnthropicSearch = (
  listed: readonly OfferedTool[],
  tools: readonly AnthropicTool[],
): readonly AnthropicSearchedTool[] => {
  const deferred = new Set(listed.flatMap((one) => (one.deferred === true ? [one.wireName] : [])));
  if (deferred.size === 0) return tools;
  const marked = tools.map((one) =>
    deferred.has(one.name) ? { ...one, defer_loading: true as const } : one,
  );
  return [searchTool, ...marked];
};

/** What a conversation may still say of the provider's search: nothing, or what it found of these tools. */
export type FoundNames = ReadonlySet<string> | undefined;

/** The names that an earlier search may have found, where this request searches too. */
export const foundNames = (listed: readonly OfferedTool[]): FoundNames =>
  listed.some(({ deferred }) => deferred === true)
    ? new Set(listed.map(({ wireName }) => wireName))
    : undefined;

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

const version = /^(?:.*[./])?claude-[a-z]+-(\d+)(?:[-.](\d{1,2})(?!\d))?/;

/** Whether models of this name search tools: those of 4.5 and later do. */
export const searchesTools = (modelId: string): boolean => {
  const [, major, minor = "0"] = version.exec(modelId) ?? [];
  if (major === undefined) return false;
  return Number(major) > 4 || (Number(major) === 4 && Number(minor) >= 5);
};
