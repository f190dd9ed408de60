import type { RawCall } from "../../words/call.ts";
import type { AssistantMessage, Message } from "../../words/message.ts";
import { messagesForVendor } from "../messages-for-vendor.ts";
import { objectArguments } from "../object-arguments.ts";

export interface OllamaCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
}

export interface OllamaMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  readonly thinking?: string;
  readonly tool_calls?: readonly OllamaCall[];
  /** Servers before 0.12 match a result by its tool, later ones by the id of its call: both are told. */
  readonly tool_name?: string;
  readonly tool_call_id?: string;
}

const toCall = ({ id, tool, input }: RawCall): OllamaCall => ({
  id,
  function: { name: tool, arguments: objectArguments(input) },
});

const thinkingOf = ({ echo }: AssistantMessage): string | undefined => {
  if (echo?.wire !== "ollama") return undefined;
  const { thinking } = (echo.data ?? {}) as { readonly thinking?: unknown };
  return typeof thinking === "string" && thinking !== "" ? thinking : undefined;
};

const toAssistant = (message: AssistantMessage): OllamaMessage => {
  const { calls = [] } = message;
  const thinking = thinkingOf(message);
  return {
    role: "assistant",
    content: message.content,
    ...(thinking === undefined ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(toCall) }),
  };
};

export const toOllamaMessages = (messages: readonly Message[]): readonly OllamaMessage[] => {
  const names = new Map<string, string>();
  return messagesForVendor(messages, /./).map((message) => {
    if (message.role === "assistant") {
      for (const { id, tool } of message.calls ?? []) names.set(id, tool);
      return toAssistant(message);
    }
    if (message.role !== "tool") return { role: message.role, content: message.content };
    const { callId, content, tool } = message;
    return { role: "tool", content, tool_name: names.get(callId) ?? tool, tool_call_id: callId };
  });
};
