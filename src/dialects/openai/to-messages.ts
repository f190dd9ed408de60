import type { RawCall } from "../../words/call.ts";
import type { AssistantMessage, Message } from "../../words/message.ts";
import { messagesForVendor } from "../messages-for-vendor.ts";

export interface OpenAICall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export type OpenAIMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | {
      readonly role: "assistant";
      readonly content: string | null;
      readonly tool_calls?: readonly OpenAICall[];
    }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

const takenId = /^[\w.:-]{1,40}$/;

/** The text goes back as it came, however broken: the model must see what it wrote. */
export const argumentsText = (input: unknown): string =>
  typeof input === "string" ? input : (JSON.stringify(input) ?? "{}");

const toCall = ({ id, tool, input }: RawCall): OpenAICall => ({
  id,
  type: "function",
  function: { name: tool, arguments: argumentsText(input) },
});

const toAssistant = ({ content, calls = [] }: AssistantMessage): OpenAIMessage =>
  calls.length === 0
    ? { role: "assistant", content }
    : { role: "assistant", content: content === "" ? null : content, tool_calls: calls.map(toCall) };

/** For chat completions. There is no field for a failed call: its content says so. */
export const toOpenAIMessages = (messages: readonly Message[]): readonly OpenAIMessage[] =>
  messagesForVendor(messages, takenId).map((message): OpenAIMessage => {
    if (message.role === "assistant") return toAssistant(message);
    if (message.role !== "tool") return { role: message.role, content: message.content };
    return { role: "tool", tool_call_id: message.callId, content: message.content };
  });
