import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../../base/json/json-value.ts";
import type { RawCall } from "../../../types/call.ts";
import {
  type AssistantMessage,
  type ContentPart,
  type MediaPart,
  type Message,
  mediaOf,
  type ProviderEcho,
  type ToolMessage,
} from "../../../types/message.ts";
import type { AcceptedMedia } from "../../../types/model.ts";
import type { ForeignFields } from "../calls/wire-reader.ts";
import { moveMedia } from "../media/move-media.ts";
import { readMedia } from "../media/read-media.ts";
import { toObjectArguments } from "../to-object-arguments.ts";
import { isGeneratedId, toVendorMessages } from "../to-vendor-messages.ts";
import type { GeminiCall, GeminiContent, GeminiPart } from "./gemini-part.ts";

export interface GeminiConversation {
  readonly systemInstruction?: string;
  readonly contents: readonly GeminiContent[];
}

interface ContentOptions {
  /** Placeholder, because Gemini requires a signature on the first call of a step. */
  readonly unsigned?: string;
  /** Otherwise media follows in a separate content. */
  readonly mediaInReplies?: boolean;
}

const toCall = ({ id, tool, input }: RawCall): GeminiCall => ({
  ...(isGeneratedId("gemini", id) ? {} : { id }),
  name: tool,
  args: toObjectArguments(input),
});

const toModelParts = (
  message: AssistantMessage,
  calls: readonly RawCall[],
  spelling: ContentOptions,
): GeminiPart[] => {
  const { unsigned } = spelling;
  const parts: GeminiPart[] = message.content === "" ? [] : [{ text: message.content }];
  parts.push(...mediaOf(message.parts).map(toGeminiMedia));
  for (const [index, call] of calls.entries()) {
    const signature = index === 0 && unsigned !== undefined ? { thoughtSignature: unsigned } : {};
    parts.push({ functionCall: toCall(call), ...signature });
  }
  return parts;
};

const mediaTypes = ["image/*", "audio/*", "video/*", "application/pdf", "text/*"];

/** A URL must be accessible to Google. */
export const geminiMedia: AcceptedMedia = Object.freeze({
  data: mediaTypes,
  url: mediaTypes,
  // 100 MB for the whole request, minus space for text.
  maxLength: 99_614_720,
});

const toGeminiMedia = ({ mediaType, data, url }: MediaPart): GeminiPart =>
  data === undefined
    ? { fileData: { mimeType: mediaType, fileUri: url } }
    : { inlineData: { mimeType: mediaType, data } };

const toResponse = (message: ToolMessage, asked: GeminiCall | undefined): GeminiPart => ({
  functionResponse: {
    ...(asked?.id === undefined ? {} : { id: asked.id }),
    name: asked?.name ?? message.tool,
    response: message.ok ? { output: message.content } : { error: message.content },
    ...(message.parts === undefined ? {} : { parts: mediaOf(message.parts).map(toGeminiMedia) }),
  },
});

const toPart = (part: ContentPart): GeminiPart =>
  part.kind === "text" ? { text: part.text } : toGeminiMedia(part);

const toParts = (content: string | readonly ContentPart[]): readonly GeminiPart[] =>
  typeof content === "string" ? [{ text: content }] : content.map(toPart);

const plainKeys: ReadonlySet<string> = new Set(["text", "functionCall"]);

const isPlainPart = (part: ForeignFields): boolean => Object.keys(part).every((key) => plainKeys.has(key));

const isStreamed = ({ functionCall }: ForeignFields): boolean =>
  isObject(functionCall) && ("partialArgs" in functionCall || "willContinue" in functionCall);

/** Thought summaries without a signature are useless to the model. */
const isUnsignedThought = (part: ForeignFields): boolean =>
  part.thought === true && part.thoughtSignature === undefined;

const isText = (part: ForeignFields | undefined): part is { readonly text: string } =>
  part !== undefined && typeof part.text === "string" && Object.keys(part).length === 1;

/** Signed parts are never merged. */
const mergeTextParts = (parts: readonly ForeignFields[]): readonly ForeignFields[] => {
  const mergedParts: ForeignFields[] = [];
  for (const part of parts) {
    const before = mergedParts.at(-1);
    if (isText(part) && isText(before))
      mergedParts[mergedParts.length - 1] = { text: before.text + part.text };
    else mergedParts.push(part);
  }
  return mergedParts;
};

/** A streamed call cannot be sent back. */
export const toGeminiEcho = (parts: readonly ForeignFields[]): ProviderEcho | undefined => {
  const kept = parts.filter((part) => !isUnsignedThought(part));
  if (kept.every(isPlainPart) || kept.some(isStreamed)) return undefined;
  return { wire: "gemini", data: { parts: mergeTextParts(kept.map(withoutBytes)) } };
};

/** Only the position is kept. */
const withoutBytes = (part: ForeignFields): ForeignFields => {
  const { inlineData, ...rest } = part;
  return readGeneratedMedia(part) === undefined ? part : { ...rest, inlineData: {} };
};

export const readGeneratedMedia = ({ inlineData, thought }: ForeignFields): MediaPart | undefined =>
  thought === true || !isObject(inlineData) ? undefined : readMedia(inlineData.mimeType, inlineData.data);

const restoreMedia = (
  parts: readonly ForeignFields[],
  given: readonly MediaPart[],
): readonly ForeignFields[] | undefined => {
  const media = [...given];
  const restoredParts: ForeignFields[] = [];
  for (const part of parts) {
    const isPlace = isObject(part.inlineData) && Object.keys(part.inlineData).length === 0;
    const made = isPlace ? media.shift() : undefined;
    if (isPlace && made === undefined) return undefined;
    restoredParts.push(made === undefined ? part : { ...part, ...toGeminiMedia(made) });
  }
  return media.length === 0 ? restoredParts : undefined;
};

const isSameCall = (spoken: unknown, call: RawCall): boolean =>
  isObject(spoken) &&
  spoken.name === call.tool &&
  isDeepStrictEqual(spoken.args ?? {}, toObjectArguments(call.input));

const textIn = (parts: readonly ForeignFields[]): string =>
  parts.map(({ text, thought }) => (typeof text === "string" && thought !== true ? text : "")).join("");

/** Undefined if the message was changed since. */
const echoedParts = (
  { content, parts: made, echo }: AssistantMessage,
  calls: readonly RawCall[],
): readonly GeminiPart[] | undefined => {
  if (echo?.wire !== "gemini" || !isObject(echo.data)) return undefined;
  const { parts } = echo.data;
  if (!Array.isArray(parts) || !parts.every(isObject)) return undefined;
  const functionCalls = parts.flatMap(({ functionCall }) => functionCall ?? []);
  if (functionCalls.length !== calls.length || textIn(parts) !== content) return undefined;
  return calls.every((call, index) => isSameCall(functionCalls[index], call))
    ? restoreMedia(parts, mediaOf(made))
    : undefined;
};

/** Replies to one step form one content. A reply has an id only if its call has one. */
export const toContents = (
  messages: readonly Message[],
  spelling: ContentOptions = {},
): GeminiConversation => {
  const system: string[] = [];
  const contents: GeminiContent[] = [];
  const callsById = new Map<string, GeminiCall>();
  let replies: GeminiPart[] | undefined;
  const holds = ({ role }: Message): boolean => role === "assistant" || spelling.mediaInReplies === true;
  for (const message of moveMedia(toVendorMessages(messages, /./), holds)) {
    if (message.role === "tool") {
      if (replies === undefined) {
        replies = [];
        contents.push({ role: "user", parts: replies });
      }
      replies.push(toResponse(message, callsById.get(message.callId)));
      continue;
    }
    replies = undefined;
    if (message.role === "system") system.push(message.content);
    else if (message.role === "user") contents.push({ role: "user", parts: toParts(message.content) });
    else {
      const { calls = [] } = message;
      const parts = echoedParts(message, calls) ?? toModelParts(message, calls, spelling);
      const spoken = parts.flatMap(({ functionCall }) => functionCall ?? []);
      for (const [index, { id }] of calls.entries()) callsById.set(id, spoken[index]!);
      // Contents without parts are refused.
      if (parts.length > 0) contents.push({ role: "model", parts });
    }
  }
  return { ...(system.length === 0 ? {} : { systemInstruction: system.join("\n\n") }), contents };
};
