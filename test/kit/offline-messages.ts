import type { OfferedTool } from "../../src/dialects/listed.ts";
import type { JsonSchema } from "../../src/words/json.ts";
import type { Message } from "../../src/words/message.ts";
import { specOf } from "../exports/spec-of.ts";

/** The schema of a text. */
export const text = { type: "string" };

/** A tool as a model is shown it. */
export const listed = (
  name: string,
  description: string,
  properties: Record<string, JsonSchema>,
  required = Object.keys(properties),
): OfferedTool => ({
  wireName: name,
  spec: specOf({ type: "object", properties, required }, { name, description }),
});

export const user = (content: string): Message => ({ role: "user", content });
export const called = (...names: readonly string[]): Message => ({
  role: "assistant",
  content: "",
  calls: names.map((tool, index) => ({ id: `call-${index + 1}`, tool, input: "{}" })),
});
export const replied = (
  tool: string,
  content: string,
  more: { readonly ok?: boolean; readonly pending?: string } = {},
): Message => ({
  role: "tool",
  callId: "call-1",
  tool,
  content,
  ok: true,
  ...more,
});
