import { isDeepStrictEqual } from "node:util";
import { isObject, type JsonObject } from "../../base/json/is-object.ts";
import type { RawCall } from "../../types/call.ts";
import { mediaOf } from "../../types/content.ts";
import type { AssistantMessage, ProviderEcho } from "../../types/message.ts";
import { toObjectArguments } from "../dialects/to-object-arguments.ts";
import { readGeneratedFile, toFilePart } from "./file-parts.ts";

const withProviderOptions = (part: JsonObject, fields: JsonObject): JsonObject => ({
  type: part.type,
  ...fields,
  ...(part.providerMetadata === undefined ? {} : { providerOptions: part.providerMetadata }),
});

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
