import { type ForeignFields, foreignTextOf } from "../calls/foreign-fields.ts";

/** A block of content that calls a tool. */
export interface ToolBlock {
  readonly id: string | undefined;
  readonly tool: string | undefined;
  readonly input: unknown;
  readonly providerExecuted: boolean;
}

/** Results, text and thoughts are none, however much they speak of calls. */
export const toToolBlock = ({ type, id, name, input }: ForeignFields): ToolBlock | undefined => {
  const providerExecuted = type === "server_tool_use" || type === "mcp_tool_use";
  if (type !== "tool_use" && !providerExecuted) return undefined;
  return { id: foreignTextOf(id), tool: foreignTextOf(name), input, providerExecuted };
};

const truncationReasons: ReadonlySet<unknown> = new Set([
  "max_tokens",
  "model_context_window_exceeded",
  "refusal",
]);

/** Whether a message that stops for this reason broke off. */
export const isAnthropicTruncation = (reason: unknown): boolean => truncationReasons.has(reason);
