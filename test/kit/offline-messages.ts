import type { OfferedTool } from "../../src/models/dialects/exporter.ts";
import type { JsonSchema } from "../../src/types/json.ts";
import type { Message, ToolMessage } from "../../src/types/message.ts";
import { specOf } from "../exports/spec-of.ts";

/** The schema of a text. */
export const stringSchema = { type: "string" };

/** A tool as a model sees it. */
export const offeredTool = (
  name: string,
  description: string,
  properties: Record<string, JsonSchema>,
  required = Object.keys(properties),
): OfferedTool => ({
  wireName: name,
  spec: specOf({ type: "object", properties, required }, { name, description }),
});

export const userMessage = (content: string): Message => ({ role: "user", content });
export const assistantCalls = (...names: readonly string[]): Message => ({
  role: "assistant",
  content: "",
  calls: names.map((tool, index) => ({ id: `call-${index + 1}`, tool, input: "{}" })),
});
export const toolReply = (
  tool: string,
  content: string,
  more: Partial<Pick<ToolMessage, "ok" | "pending" | "flow">> = {},
): Message => ({
  role: "tool",
  callId: "call-1",
  tool,
  content,
  ok: true,
  ...more,
});
