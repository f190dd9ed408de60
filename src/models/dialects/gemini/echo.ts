import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../../base/json/is-object.ts";
import type { RawCall } from "../../../types/call.ts";
import { type MediaPart, mediaOf } from "../../../types/content.ts";
import type { AssistantMessage, ProviderEcho } from "../../../types/message.ts";
import type { ForeignFields } from "../calls/read-untyped-fields.ts";
import { readMedia } from "../media/read-media.ts";
import { toObjectArguments } from "../to-object-arguments.ts";
import type { GeminiPart } from "./gemini-part.ts";
import { toGeminiMedia } from "./media.ts";

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
export const echoedParts = (
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
