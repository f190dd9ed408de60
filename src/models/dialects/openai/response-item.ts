import { type ForeignFields, foreignTextOf } from "../calls/wire-reader.ts";

export interface ResponseItem {
  readonly id: string | undefined;
  readonly tool: string | undefined;
  readonly input: unknown;
  readonly providerExecuted: boolean;
  readonly incomplete: boolean;
}

/** xAI runs these itself and reports them as custom tool calls. */
const providerSearches: ReadonlySet<unknown> = new Set([
  "x_user_search",
  "x_keyword_search",
  "x_semantic_search",
  "x_thread_fetch",
]);

export const toResponseItem = (item: ForeignFields): ResponseItem | undefined => {
  const { type, name } = item;
  if (type !== "function_call" && type !== "custom_tool_call" && type !== "mcp_call") return undefined;
  return {
    id: foreignTextOf(item.call_id) ?? foreignTextOf(item.id),
    tool: foreignTextOf(name),
    input: type === "custom_tool_call" ? item.input : item.arguments,
    providerExecuted: type === "mcp_call" || (type === "custom_tool_call" && providerSearches.has(name)),
    incomplete: item.status === "incomplete",
  };
};
