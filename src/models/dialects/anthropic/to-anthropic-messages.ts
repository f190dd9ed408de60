import type { JsonObject } from "../../../base/json/json-value.ts";
import type { RawCall } from "../../../types/call.ts";
import type {
  AssistantMessage,
  ContentPart,
  Message,
  ProviderEcho,
  ToolMessage,
  UserMessage,
} from "../../../types/message.ts";
import type { AcceptedMedia } from "../../../types/model.ts";
import { foreignFieldsOf } from "../calls/wire-reader.ts";
import type { OfferedTool } from "../exporter.ts";
import { moveMedia } from "../media/move-media.ts";
import { readField, searchableNames, toCount, toItems, toTextOrEmpty } from "../model-reply.ts";
import { toObjectArguments } from "../to-object-arguments.ts";
import { toVendorMessages } from "../to-vendor-messages.ts";
import { searchedBlock } from "./tool-search.ts";

export interface AnthropicMessage {
  readonly role: "user" | "assistant";
  readonly content: string | readonly JsonObject[];
}

export interface AnthropicConversation {
  readonly system?: string;
  readonly messages: readonly AnthropicMessage[];
}

const acceptedId = /^[a-zA-Z0-9_-]{1,64}$/;

const toToolUse = ({ id, tool, input }: RawCall): JsonObject => ({
  type: "tool_use",
  id,
  name: tool,
  input: toObjectArguments(input),
});

/** The provider refuses empty text blocks. */
const toText = (text: string): readonly JsonObject[] => (text.trim() === "" ? [] : [{ type: "text", text }]);

const toAssistantContent = ({ content, calls = [] }: AssistantMessage): readonly JsonObject[] => [
  ...toText(content),
  ...calls.map(toToolUse),
];

/** Error results and assistant messages cannot contain media. */
const canHoldMedia = (message: ToolMessage | AssistantMessage): boolean =>
  message.role === "tool" && message.ok;

const toUser = ({ content }: UserMessage): AnthropicMessage["content"] =>
  typeof content === "string" ? content : toBlocks(content);

const toBlocks = (parts: readonly ContentPart[]): readonly JsonObject[] =>
  parts.flatMap((part) => (part.kind === "text" ? toText(part.text) : [toAnthropicBlock(part)]));

const mediaTypes = ["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"];

/** Accepted in user messages and tool results. */
export const anthropicMedia: AcceptedMedia = Object.freeze({
  data: mediaTypes,
  url: mediaTypes,
  // 32 MB for the whole request, minus space for text.
  maxLength: 31_457_280,
});

const toAnthropicBlock = (part: ContentPart): JsonObject => {
  if (part.kind === "text") return { type: "text", text: part.text };
  const source =
    part.data === undefined
      ? { type: "url", url: part.url }
      : { type: "base64", media_type: part.mediaType.toLowerCase(), data: part.data };
  if (part.kind === "image") return { type: "image", source };
  return { type: "document", source, ...(part.name === undefined ? {} : { title: part.name }) };
};

const toToolResult = ({ callId, content, parts, ok }: ToolMessage): JsonObject => ({
  type: "tool_result",
  tool_use_id: callId,
  ...(parts === undefined
    ? content === ""
      ? {}
      : { content }
    : { content: [...toText(content), ...toBlocks(parts)] }),
  ...(ok ? {} : { is_error: true }),
});

/** Replies to the calls of one message must be in the next user message. */
export const toAnthropicMessages = (
  conversation: readonly Message[],
  listed: readonly OfferedTool[] = [],
): AnthropicConversation => {
  const names = searchableNames(listed);
  const system: string[] = [];
  const messages: AnthropicMessage[] = [];
  let results: JsonObject[] | undefined;
  for (const message of moveMedia(toVendorMessages(conversation, acceptedId), canHoldMedia)) {
    if (message.role === "tool") {
      if (results === undefined) {
        results = [];
        messages.push({ role: "user", content: results });
      }
      results.push(toToolResult(message));
      continue;
    }
    results = undefined;
    if (message.role === "system") system.push(message.content);
    else if (message.role === "user") messages.push({ role: "user", content: toUser(message) });
    else {
      const echoed = echoedBlocks(message, { toText, toToolUse });
      const content = echoed?.flatMap((block) => searchedBlock(block, names)) ?? toAssistantContent(message);
      // The provider refuses empty messages.
      if (content.length > 0) messages.push({ role: "assistant", content });
    }
  }
  return { ...(system.length === 0 ? {} : { system: system.join("\n\n") }), messages };
};

const wire = "anthropic";

/** Texts and arguments are in the message, so only their positions are kept. */
const toEchoMark = (block: JsonObject): JsonObject => {
  if (block.type === "text") {
    const { text, ...mark } = block;
    return { ...mark, length: toTextOrEmpty(text).length };
  }
  if (block.type !== "tool_use") {
    return typeof block.input === "string" ? { ...block, input: toObjectArguments(block.input) } : block;
  }
  const { id: _, input: __, ...mark } = block;
  return mark;
};

const isPlainBlock = ({ type }: JsonObject): boolean => type === "text" || type === "tool_use";

/** Undefined if text and calls are the whole content. */
export const toAnthropicEcho = (blocks: readonly unknown[]): ProviderEcho | undefined => {
  const kept = blocks.filter((block): block is JsonObject => typeof block === "object" && block !== null);
  return kept.every(isPlainBlock) ? undefined : { wire, data: { blocks: kept.map(toEchoMark) } };
};

interface BlockWriter {
  readonly toText: (text: string) => readonly JsonObject[];
  readonly toToolUse: (call: RawCall) => JsonObject;
}

const restoreText = (
  { length: _, ...mark }: JsonObject,
  blocks: readonly JsonObject[],
): readonly JsonObject[] => blocks.map((block) => ({ ...mark, ...block }));

/** Undefined if the message was changed since. */
const echoedBlocks = (
  { content, calls = [], echo }: AssistantMessage,
  { toText, toToolUse }: BlockWriter,
): readonly JsonObject[] | undefined => {
  if (echo?.wire !== wire) return undefined;
  const blocks: JsonObject[] = [];
  let read = 0;
  let called = 0;
  for (const mark of toItems(readField(echo.data, "blocks")).map(foreignFieldsOf)) {
    if (mark.type === "text") {
      const end = read + toCount(mark.length);
      blocks.push(...restoreText(mark, toText(content.slice(read, end))));
      read = end;
    } else if (mark.type === "tool_use") {
      const call = calls[called++];
      if (call === undefined || call.tool !== mark.name) return undefined;
      blocks.push({ ...mark, ...toToolUse(call) });
    } else blocks.push(mark);
  }
  return read === content.length && called === calls.length ? blocks : undefined;
};
