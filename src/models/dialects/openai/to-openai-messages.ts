import type { JsonObject } from "../../../base/json/json-value.ts";
import type { RawCall } from "../../../types/call.ts";
import type {
  AssistantMessage,
  ContentPart,
  MediaPart,
  Message,
  ProviderEcho,
} from "../../../types/message.ts";
import type { AcceptedMedia } from "../../../types/model.ts";
import { dataUrl, fileName } from "../media/fit-media.ts";
import { moveMedia } from "../media/move-media.ts";
import { readField, toTextOrEmpty } from "../model-reply.ts";
import { toVendorMessages } from "../to-vendor-messages.ts";

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

const wire = "openai-chat";
/** Only compatible servers send these. */
const reasoningFields = ["reasoning_content", "reasoning"] as const;

export const reasoningIn = (
  message: unknown,
): { readonly name: string; readonly text: string } | undefined => {
  for (const name of reasoningFields) {
    const text = toTextOrEmpty(readField(message, name));
    if (text !== "") return { name, text };
  }
  return undefined;
};

export const toChatEcho = (name: string | undefined, text: string): ProviderEcho | undefined =>
  name === undefined ? undefined : { wire, data: { [name]: text } };

/** Models need the reasoning until their calls are answered. Some servers refuse it after a final answer. */
const echoedReasoning = ({ echo }: AssistantMessage): JsonObject => {
  const thoughts = echo?.wire === wire ? reasoningIn(echo.data) : undefined;
  return thoughts === undefined ? {} : { [thoughts.name]: thoughts.text };
};

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

const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const audioFormats: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};

/** Accepted by the API; single models accept less. */
export const chatMedia: AcceptedMedia = Object.freeze({
  data: [...imageTypes, ...Object.keys(audioFormats), "application/pdf"],
  url: imageTypes,
  // 50 MB per request, in base64 characters.
  maxLength: 69_905_067,
});

const toChatPart = (part: ContentPart): JsonObject => {
  if (part.kind === "text") return { type: "text", text: part.text };
  if (part.kind === "image") return { type: "image_url", image_url: { url: dataUrl(part) } };
  return part.kind === "audio" && part.data !== undefined ? toAudio(part, part.data) : toFile(part);
};

const toAudio = ({ mediaType }: MediaPart, data: string): JsonObject => ({
  type: "input_audio",
  input_audio: { data, format: audioFormats[mediaType.toLowerCase()] ?? mediaType.split("/")[1] },
});

const toFile = (part: MediaPart): JsonObject => ({
  type: "file",
  file: { filename: fileName(part), file_data: dataUrl(part) },
});

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
