import { isDeepStrictEqual } from "node:util";
import { isObject, type JsonObject } from "../../base/json/json-value.ts";
import { readPart } from "../../base/json/read-part.ts";
import type { RawCall } from "../../types/call.ts";
import {
  type AssistantMessage,
  isMedia,
  type MediaPart,
  mediaOf,
  type ProviderEcho,
} from "../../types/message.ts";
import { mediaKindOf } from "../dialects/media/read-media.ts";
import { toObjectArguments } from "../dialects/to-object-arguments.ts";

const withProviderOptions = (part: JsonObject, fields: JsonObject): JsonObject => ({
  type: part.type,
  ...fields,
  ...(part.providerMetadata === undefined ? {} : { providerOptions: part.providerMetadata }),
});

/** Since v4, file data is tagged with its kind. */
const isTagged = (version: string): boolean => !/^v[23]$/.test(version);

const withFileName = ({ name }: MediaPart): JsonObject => (name === undefined ? {} : { filename: name });

const sourceOf = (version: string, { data, url }: MediaPart): unknown => {
  if (data !== undefined) return isTagged(version) ? { type: "data", data } : data;
  return isTagged(version) ? { type: "url", url: new URL(url) } : new URL(url);
};

export const toFilePart = (version: string, part: MediaPart): JsonObject => ({
  type: "file",
  mediaType: part.mediaType,
  ...withFileName(part),
  data: sourceOf(version, part),
});

export const toResultFile = (version: string, part: MediaPart): JsonObject => {
  const { mediaType, data, url } = part;
  if (isTagged(version)) return toFilePart(version, part);
  if (version === "v2") return { type: "media", mediaType, data: data ?? url };
  return data === undefined
    ? { type: "file-url", url }
    : { type: "file-data", mediaType, data, ...withFileName(part) };
};

export const readGeneratedFile = ({ type, mediaType, data }: JsonObject): MediaPart | undefined => {
  if (type !== "file") return undefined;
  const source = isObject(data) && !(data instanceof Uint8Array) ? (data.data ?? data.url) : data;
  const bytes = source instanceof Uint8Array ? Buffer.from(source).toString("base64") : source;
  const where = isObject(data) && data.type === "url" ? { url: String(bytes) } : { data: bytes };
  const reading = readPart({ kind: mediaKindOf(mediaType), mediaType, ...where });
  return reading.ok && isMedia(reading.part) ? reading.part : undefined;
};

const toPromptPart = (part: JsonObject): readonly JsonObject[] => {
  const { type, text, kind, toolCallId, toolName, input, providerExecuted, result, isError } = part;
  if (type === "text" || type === "reasoning") return [withProviderOptions(part, { text })];
  if (readGeneratedFile(part) !== undefined) return [withProviderOptions(part, {})];
  if (type === "custom") return [withProviderOptions(part, { kind })];
  if (type === "tool-call") {
    const executed = providerExecuted === true ? { providerExecuted } : {};
    return [
      withProviderOptions(part, { toolCallId, toolName, input: toObjectArguments(input), ...executed }),
    ];
  }
  if (type !== "tool-result" || part.preliminary === true) return [];
  const output = { type: isError === true ? "error-json" : "json", value: result ?? null };
  return [withProviderOptions(part, { toolCallId, toolName, output })];
};

const isPlainPart = (part: JsonObject): boolean =>
  (part.type === "text" || part.type === "tool-call") &&
  part.providerMetadata === undefined &&
  part.providerExecuted !== true;

/** Undefined if text and calls are the whole content. */
export const toAiSdkEcho = (wire: string, content: readonly JsonObject[]): ProviderEcho | undefined => {
  const repeated = content.filter((part) => toPromptPart(part).length > 0);
  return repeated.every(isPlainPart)
    ? undefined
    : { wire, data: { content: repeated.flatMap(toPromptPart) } };
};

const isSameCall = (part: JsonObject, call: RawCall): boolean =>
  part.toolCallId === call.id &&
  part.toolName === call.tool &&
  isDeepStrictEqual(part.input, toObjectArguments(call.input));

/** The original content, unless the message was changed since. */
export const echoedContent = (
  wire: string,
  { calls = [], content, parts: made, echo }: AssistantMessage,
  version = "v3",
): readonly JsonObject[] | undefined => {
  if (echo?.wire !== wire || !isObject(echo.data)) return undefined;
  const parts = echo.data.content;
  if (!Array.isArray(parts) || !parts.every(isObject)) return undefined;
  const callParts = parts.filter(
    ({ type, providerExecuted }) => type === "tool-call" && providerExecuted !== true,
  );
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  if (callParts.length !== calls.length || text !== content) return undefined;
  if (!calls.every((call, index) => isSameCall(callParts[index]!, call))) return undefined;
  const media = [...mediaOf(made)];
  if (parts.filter(({ type }) => type === "file").length !== media.length) return undefined;
  return parts.map((part) =>
    part.type === "file" ? { ...part, ...toFilePart(version, media.shift()!) } : part,
  );
};

/**
 * A language model of the AI SDK, from specification v2 on, recognized by its shape, so that the SDK is not
 * imported.
 */
export interface AiSdkModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<{ readonly stream: unknown }>;
}

export interface AiSdkMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly JsonObject[];
}

export interface AiSdkResult {
  readonly content: readonly JsonObject[];
  readonly finishReason: unknown;
  readonly usage: unknown;
  readonly providerMetadata?: unknown;
}
