import type { RawCall } from "../../../types/call.ts";
import { type AssistantMessage, type ContentPart, type Message, mediaOf } from "../../../types/message.ts";
import { moveMedia } from "../media/move-media.ts";
import { toObjectArguments } from "../to-object-arguments.ts";
import { toVendorMessages } from "../to-vendor-messages.ts";

export interface OllamaCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
}

export interface OllamaMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  /** Base64. */
  readonly images?: readonly string[];
  readonly thinking?: string;
  readonly tool_calls?: readonly OllamaCall[];
  /** Servers before 0.12 match results by tool name, later ones by call id. */
  readonly tool_name?: string;
  readonly tool_call_id?: string;
}

const toCall = ({ id, tool, input }: RawCall): OllamaCall => ({
  id,
  function: { name: tool, arguments: toObjectArguments(input) },
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

/** The text marks the positions of the images. */
const toUser = (content: string | readonly ContentPart[]): OllamaMessage => {
  if (typeof content === "string") return { role: "user", content };
  let count = 0;
  const words = content.map((part) => (part.kind === "text" ? part.text : `[${part.kind} ${++count}]`));
  const images = mediaOf(content).flatMap(({ data }) => data ?? []);
  return { role: "user", content: words.join("\n"), ...(images.length === 0 ? {} : { images }) };
};

export const toOllamaMessages = (messages: readonly Message[]): readonly OllamaMessage[] => {
  const names = new Map<string, string>();
  return moveMedia(toVendorMessages(messages, /./)).map((message): OllamaMessage => {
    if (message.role === "assistant") {
      for (const { id, tool } of message.calls ?? []) names.set(id, tool);
      return toAssistant(message);
    }
    if (message.role === "user") return toUser(message.content);
    if (message.role === "system") return { role: "system", content: message.content };
    const { callId, content, tool } = message;
    return { role: "tool", content, tool_name: names.get(callId) ?? tool, tool_call_id: callId };
  });
};
