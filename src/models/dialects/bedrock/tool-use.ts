import { isObject } from "../../json/is-object.ts";
import { type Fields, fieldsOf, textOf } from "../calls/fields.ts";

/** A tool's use as Converse writes it, in a message and at the start of a streamed block. */
export interface BedrockToolUse {
  readonly id: string | undefined;
  readonly tool: string | undefined;
  readonly input: unknown;
  readonly providerExecuted: boolean;
}

export const toToolUse = (block: Fields): BedrockToolUse | undefined => {
  if (!isObject(block.toolUse)) return undefined;
  const { toolUseId, name, input, type } = fieldsOf(block.toolUse);
  return { id: textOf(toolUseId), tool: textOf(name), input, providerExecuted: type === "server_tool_use" };
};

const cuts: ReadonlySet<unknown> = new Set([
  "max_tokens",
  "model_context_window_exceeded",
  "guardrail_intervened",
  "content_filtered",
  "malformed_tool_use",
  "malformed_model_output",
]);

/** Whether a message that stops for this reason broke off. */
export const isCut = (reason: unknown): boolean => cuts.has(reason);
