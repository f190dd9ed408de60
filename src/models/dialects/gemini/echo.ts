import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../json/is-object.ts";
import type { RawCall } from "../../words/call.ts";
import { type MediaPart, mediaOf } from "../../words/content.ts";
import type { AssistantMessage, Echo } from "../../words/message.ts";
import type { Fields } from "../calls/fields.ts";
import { readMedia } from "../media/read-media.ts";
import { objectArguments } from "../object-arguments.ts";
import { toGeminiMedia } from "./media.ts";
import type { GeminiPart } from "./part.ts";

const plainKeys: ReadonlySet<string> = new Set(["text", "functionCall"]);

const isPlain = (part: Fields): boolean => Object.keys(part).every((key) => plainKeys.has(key));

const isStreamed = ({ functionCall }: Fields): boolean =>
  isObject(functionCall) && ("partialArgs" in functionCall || "willContinue" in functionCall);

/** The summary of a thought without a signature means nothing to the model that gets it back. */
const isIdle = (part: Fields): boolean => part.thought === true && part.thoughtSignature === undefined;

const isText = (part: Fields | undefined): part is { readonly text: string } =>
  part !== undefined && typeof part.text === "string" && Object.keys(part).length === 1;

/** Pieces of one text become one again; a signed part is never merged with another. */
const merged = (parts: readonly Fields[]): readonly Fields[] => {
  const whole: Fields[] = [];
  for (const part of parts) {
    const before = whole.at(-1);
    if (isText(part) && isText(before)) whole[whole.length - 1] = { text: before.text + part.text };
    else whole.push(part);
  }
  return whole;
};

/** Missing where text and calls say all there is. Parts of a call that came in pieces cannot be sent back. */
export const toEcho = (parts: readonly Fields[]): Echo | undefined => {
  const kept = parts.filter((part) => !isIdle(part));
  if (kept.every(isPlain) || kept.some(isStreamed)) return undefined;
  return { wire: "gemini", data: { parts: merged(kept.map(withoutBytes)) } };
};

/** Media that the model made stand in the message already: here is only their place. */
const withoutBytes = (part: Fields): Fields => {
  const { inlineData, ...rest } = part;
  return madeMedia(part) === undefined ? part : { ...rest, inlineData: {} };
};

export const madeMedia = ({ inlineData, thought }: Fields): MediaPart | undefined =>
  thought === true || !isObject(inlineData) ? undefined : readMedia(inlineData.mimeType, inlineData.data);

/** The parts with the media of the message in their places; nothing where those are not as many. */
const withMedia = (parts: readonly Fields[], given: readonly MediaPart[]): readonly Fields[] | undefined => {
  const media = [...given];
  const whole: Fields[] = [];
  for (const part of parts) {
    const isPlace = isObject(part.inlineData) && Object.keys(part.inlineData).length === 0;
    const made = isPlace ? media.shift() : undefined;
    if (isPlace && made === undefined) return undefined;
    whole.push(made === undefined ? part : { ...part, ...toGeminiMedia(made) });
  }
  return media.length === 0 ? whole : undefined;
};

const isSameCall = (spoken: unknown, call: RawCall): boolean =>
  isObject(spoken) &&
  spoken.name === call.tool &&
  isDeepStrictEqual(spoken.args ?? {}, objectArguments(call.input));

const textIn = (parts: readonly Fields[]): string =>
  parts.map(({ text, thought }) => (typeof text === "string" && thought !== true ? text : "")).join("");

/** The parts as they came, unless somebody changed what was said since: then they are no longer true. */
export const echoedParts = (
  { content, parts: made, echo }: AssistantMessage,
  calls: readonly RawCall[],
): readonly GeminiPart[] | undefined => {
  if (echo?.wire !== "gemini" || !isObject(echo.data)) return undefined;
  const { parts } = echo.data;
  if (!Array.isArray(parts) || !parts.every(isObject)) return undefined;
  const spoken = parts.flatMap(({ functionCall }) => functionCall ?? []);
  if (spoken.length !== calls.length || textIn(parts) !== content) return undefined;
  return calls.every((call, index) => isSameCall(spoken[index], call))
    ? withMedia(parts, mediaOf(made))
    : undefined;
};
