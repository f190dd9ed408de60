import { type ForeignFields, foreignTextOf } from "../calls/read-untyped-fields.ts";

export interface ToolBlock {
  readonly id: string | undefined;
  readonly tool: string | undefined;
  readonly input: unknown;
  readonly providerExecuted: boolean;
}

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

export const isAnthropicTruncation = (reason: unknown): boolean => truncationReasons.has(reason);
