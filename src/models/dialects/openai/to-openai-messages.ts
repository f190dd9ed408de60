import type { JsonObject } from "../../../base/json/is-object.ts";
import type { RawCall } from "../../../types/call.ts";
import type { AssistantMessage, Message } from "../../../types/message.ts";
import { moveMedia } from "../media/move-media.ts";
import { toVendorMessages } from "../to-vendor-messages.ts";
import { echoedReasoning } from "./chat-echo.ts";
import { toChatPart } from "./chat-media.ts";

export interface OpenAICall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export type OpenAIMessage =
  | { readonly role: "system" | "user"; readonly content: string | readonly JsonObject[] }
  | {
      readonly role: "assistant";
      readonly content: string | null;
      readonly tool_calls?: readonly OpenAICall[];
    }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

const acceptedId = /^[\w.:-]{1,40}$/;

/** Unchanged even if malformed, so that the model sees what it wrote. */
export const argumentsText = (input: unknown): string =>
  typeof input === "string" ? input : (JSON.stringify(input) ?? "{}");

const toCall = ({ id, tool, input }: RawCall): OpenAICall => ({
  id,
  type: "function",
  function: { name: tool, arguments: argumentsText(input) },
});

const toAssistant = (message: AssistantMessage): OpenAIMessage => {
  const { content, calls = [] } = message;
  if (calls.length === 0) return { role: "assistant", content };
  const tool_calls = calls.map(toCall);
  return {
    role: "assistant",
    content: content === "" ? null : content,
    tool_calls,
    ...echoedReasoning(message),
  };
};

/** Only user messages can contain media. */
export const toOpenAIMessages = (messages: readonly Message[]): readonly OpenAIMessage[] =>
  moveMedia(toVendorMessages(messages, acceptedId)).map((message): OpenAIMessage => {
    if (message.role === "assistant") return toAssistant(message);
    if (message.role === "system") return { role: "system", content: message.content };
    if (message.role === "user") {
      const { content } = message;
      return { role: "user", content: typeof content === "string" ? content : content.map(toChatPart) };
    }
    return { role: "tool", tool_call_id: message.callId, content: message.content };
  });
