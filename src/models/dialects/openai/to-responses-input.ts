import type { JsonObject } from "../../../base/json/json-value.ts";
import type { RawCall } from "../../../types/call.ts";
import {
  type AssistantMessage,
  type ContentPart,
  type MediaPart,
  type Message,
  mediaOf,
  type ProviderEcho,
  type ToolMessage,
  type UserMessage,
} from "../../../types/message.ts";
import type { AcceptedMedia } from "../../../types/model.ts";
import { foreignFieldsOf } from "../calls/wire-reader.ts";
import type { OfferedTool } from "../exporter.ts";
import { dataUrl, fileName } from "../media/fit-media.ts";
import { moveMedia } from "../media/move-media.ts";
import { readMedia } from "../media/read-media.ts";
import {
  type DeferrableTool,
  isVersionAtLeast,
  readField,
  type SearchableNames,
  searchableNames,
  toCount,
  toItems,
  toTextOrEmpty,
  withProviderSearch,
} from "../model-reply.ts";
import { toVendorMessages } from "../to-vendor-messages.ts";
import { argumentsText } from "./to-openai-messages.ts";
import type { OpenAIResponsesTool } from "./to-openai-responses.ts";

const acceptedId = /^[\w.:-]{1,64}$/;

export const toFunctionCall = ({ id, tool, input }: RawCall): JsonObject => ({
  type: "function_call",
  call_id: id,
  name: tool,
  arguments: argumentsText(input),
});

const toAssistantItems = ({ content, calls = [] }: AssistantMessage): readonly JsonObject[] => [
  ...(content === "" ? [] : [{ role: "assistant", content }]),
  ...calls.map(toFunctionCall),
];

const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Accepted in user messages and tool outputs. */
export const responsesMedia: AcceptedMedia = Object.freeze({
  data: [...imageTypes, "application/pdf"],
  url: [...imageTypes, "application/pdf"],
  // 50 MB per request, in base64 characters.
  maxLength: 69_905_067,
});

const toResponsesPart = (part: ContentPart): JsonObject => {
  if (part.kind === "text") return { type: "input_text", text: part.text };
  if (part.kind === "image") return { type: "input_image", detail: "auto", image_url: dataUrl(part) };
  if (part.url !== undefined) return { type: "input_file", file_url: part.url };
  return { type: "input_file", filename: fileName(part), file_data: dataUrl(part) };
};

export const readGeneratedImage = (item: unknown): MediaPart | undefined => {
  if (readField(item, "type") !== "image_generation_call") return undefined;
  return readMedia(
    `image/${toTextOrEmpty(readField(item, "output_format")) || "png"}`,
    readField(item, "result"),
  );
};

const toUser = ({ content }: UserMessage): JsonObject => ({
  role: "user",
  content: typeof content === "string" ? content : content.map(toResponsesPart),
});

const toOutput = ({ callId, content, parts }: ToolMessage): JsonObject => ({
  type: "function_call_output",
  call_id: callId,
  output:
    parts === undefined ? content : [{ kind: "text" as const, text: content }, ...parts].map(toResponsesPart),
});

const wire = "openai-responses";

export const itemText = (item: unknown): string =>
  toItems(readField(item, "content"))
    .map((part) => toTextOrEmpty(readField(part, "text")) || toTextOrEmpty(readField(part, "refusal")))
    .join("");

export const itemThoughts = (item: unknown): string =>
  readField(item, "type") !== "reasoning"
    ? ""
    : [...toItems(readField(item, "summary")), ...toItems(readField(item, "content"))]
        .map((part) => toTextOrEmpty(readField(part, "text")))
        .filter((text) => text !== "")
        .join("\n\n");

export const isRefusalItem = (item: unknown): boolean =>
  toItems(readField(item, "content")).some((part) => toTextOrEmpty(readField(part, "refusal")) !== "");

/** Unstored reasoning is accepted only in encrypted form. */
const isUnencryptedReasoning = (item: JsonObject): boolean =>
  item.type === "reasoning" && !item.encrypted_content;

/** Texts and arguments are in the message, so only their positions are kept. */
const toEchoMark = (item: JsonObject): JsonObject => {
  if (item.type === "message") {
    const { content: _, ...mark } = item;
    return { ...mark, length: itemText(item).length };
  }
  if (readGeneratedImage(item) !== undefined) {
    const { result: _, ...mark } = item;
    return mark;
  }
  if (item.type !== "function_call") return item;
  const { arguments: _, call_id: __, ...mark } = item;
  return mark;
};

export const toResponsesEcho = (items: readonly unknown[]): ProviderEcho | undefined => {
  const kept = items.filter(
    (item): item is JsonObject =>
      typeof item === "object" && item !== null && !isUnencryptedReasoning(item as JsonObject),
  );
  const isPlain = (item: JsonObject) =>
    item.type === "function_call" || (item.type === "message" && typeof item.phase !== "string");
  return kept.every(isPlain) ? undefined : { wire, data: { items: kept.map(toEchoMark) } };
};

const toMessage = ({ length: _, ...mark }: JsonObject, text: string): JsonObject => ({
  ...mark,
  content: [{ type: "output_text", text, annotations: [] }],
});

/** Undefined if the message was changed since. */
const echoedItems = (
  { content, calls = [], parts, echo }: AssistantMessage,
  toFunctionCall: (call: RawCall) => JsonObject,
): readonly JsonObject[] | undefined => {
  if (echo?.wire !== wire) return undefined;
  const items: JsonObject[] = [];
  let read = 0;
  let called = 0;
  const media = [...mediaOf(parts)];
  for (const mark of toItems(readField(echo.data, "items")).map(foreignFieldsOf)) {
    if (mark.type === "message") {
      const end = read + toCount(mark.length);
      items.push(toMessage(mark, content.slice(read, end)));
      read = end;
    } else if (mark.type === "function_call") {
      const call = calls[called++];
      if (call === undefined || call.tool !== mark.name) return undefined;
      items.push({ ...mark, ...toFunctionCall(call) });
    } else if (mark.type === "image_generation_call" && mark.result === undefined) {
      const made = media.shift();
      if (made?.data === undefined) return undefined;
      items.push({ ...mark, result: made.data });
    } else items.push(mark);
  }
  const isWhole = read === content.length && called === calls.length && media.length === 0;
  return isWhole ? items : undefined;
};

const canHoldMedia = (message: ToolMessage | AssistantMessage): boolean =>
  message.role === "tool" || echoedItems(message, toFunctionCall) !== undefined;

const searchTool = Object.freeze({ type: "tool_search" });

type ResponsesSearchableTool = typeof searchTool | DeferrableTool<OpenAIResponsesTool>;

export const withResponsesSearch = (
  listed: readonly OfferedTool[],
  tools: readonly OpenAIResponsesTool[],
): readonly ResponsesSearchableTool[] => withProviderSearch(searchTool, listed, tools);

const searchedItem = (item: JsonObject, names: SearchableNames): readonly JsonObject[] => {
  if (item.type !== "tool_search_call" && item.type !== "tool_search_output") return [item];
  if (names === undefined) return [];
  if (item.type === "tool_search_call" || !Array.isArray(item.tools)) return [item];
  return [
    { ...item, tools: toItems(item.tools).filter((one) => names.has(String(foreignFieldsOf(one).name))) },
  ];
};

const version = /^gpt-(\d+)(?:\.(\d+))?/;

export const canSearchTools = (modelId: string): boolean => isVersionAtLeast(modelId, version, [5, 4]);

export const toResponsesInput = (
  messages: readonly Message[],
  listed: readonly OfferedTool[] = [],
): readonly JsonObject[] => {
  const names = searchableNames(listed);
  return moveMedia(toVendorMessages(messages, acceptedId), canHoldMedia).flatMap(
    (message): readonly JsonObject[] => {
      if (message.role === "assistant") {
        const echoed = echoedItems(message, toFunctionCall);
        return echoed?.flatMap((item) => searchedItem(item, names)) ?? toAssistantItems(message);
      }
      if (message.role === "system") return [{ role: "system", content: message.content }];
      return [message.role === "user" ? toUser(message) : toOutput(message)];
    },
  );
};
