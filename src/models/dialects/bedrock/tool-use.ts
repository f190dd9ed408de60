import { isObject } from "../../../base/json/is-object.ts";
import { type ForeignFields, foreignFieldsOf, foreignTextOf } from "../calls/read-untyped-fields.ts";

export interface BedrockToolUse {
  readonly id: string | undefined;
  readonly tool: string | undefined;
  readonly input: unknown;
  readonly providerExecuted: boolean;
}

export const toToolUse = (block: ForeignFields): BedrockToolUse | undefined => {
  if (!isObject(block.toolUse)) return undefined;
  const { toolUseId, name, input, type } = foreignFieldsOf(block.toolUse);
  return {
    id: foreignTextOf(toolUseId),
    tool: foreignTextOf(name),
    input,
    providerExecuted: type === "server_tool_use",
  };
};

const truncationReasons: ReadonlySet<unknown> = new Set([
  "max_tokens",
  "model_context_window_exceeded",
  "guardrail_intervened",
  "content_filtered",
  "malformed_tool_use",
  "malformed_model_output",
]);

export const isBedrockTruncation = (reason: unknown): boolean => truncationReasons.has(reason);
