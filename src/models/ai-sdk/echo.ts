import { isDeepStrictEqual } from "node:util";
import { objectArguments } from "../../dialects/object-arguments.ts";
import { isObject, type JsonObject } from "../../json/is-object.ts";
import type { RawCall } from "../../words/call.ts";
import { mediaOf } from "../../words/content.ts";
import type { AssistantMessage, Echo } from "../../words/message.ts";
import { madeFile, toFilePart } from "./file-parts.ts";

/** Metadata that a provider gives goes back to it under another name. */
const signed = (part: JsonObject, fields: JsonObject): JsonObject => ({
  type: part.type,
  ...fields,
  ...(part.providerMetadata === undefined ? {} : { providerOptions: part.providerMetadata }),
});

/** A part of a reply as a prompt takes it; sources are not told again. Of a file here is only its place. */
const toPromptPart = (part: JsonObject): readonly JsonObject[] => {
  const { type, text, kind, toolCallId, toolName, input, providerExecuted, result, isError } = part;
  if (type === "text" || type === "reasoning") return [signed(part, { text })];
  if (madeFile(part) !== undefined) return [signed(part, {})];
  if (type === "custom") return [signed(part, { kind })];
  if (type === "tool-call") {
    const executed = providerExecuted === true ? { providerExecuted } : {};
    return [signed(part, { toolCallId, toolName, input: objectArguments(input), ...executed })];
  }
  if (type !== "tool-result" || part.preliminary === true) return [];
  const output = { type: isError === true ? "error-json" : "json", value: result ?? null };
  return [signed(part, { toolCallId, toolName, output })];
};

const isPlain = (part: JsonObject): boolean =>
  (part.type === "text" || part.type === "tool-call") &&
  part.providerMetadata === undefined &&
  part.providerExecuted !== true;

/** Missing where text and calls say all there is. */
export const toEcho = (wire: string, content: readonly JsonObject[]): Echo | undefined => {
  const repeated = content.filter((part) => toPromptPart(part).length > 0);
  return repeated.every(isPlain) ? undefined : { wire, data: { content: repeated.flatMap(toPromptPart) } };
};

const isSameCall = (part: JsonObject, call: RawCall): boolean =>
  part.toolCallId === call.id &&
  part.toolName === call.tool &&
  isDeepStrictEqual(part.input, objectArguments(call.input));

/** The content as it came, unless somebody changed what was said since: then it is no longer true. */
export const echoedContent = (
  wire: string,
  { calls = [], content, parts: made, echo }: AssistantMessage,
  version = "v3",
): readonly JsonObject[] | undefined => {
  if (echo?.wire !== wire || !isObject(echo.data)) return undefined;
  const parts = echo.data.content;
  if (!Array.isArray(parts) || !parts.every(isObject)) return undefined;
  const spoken = parts.filter(
    ({ type, providerExecuted }) => type === "tool-call" && providerExecuted !== true,
  );
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  if (spoken.length !== calls.length || text !== content) return undefined;
  if (!calls.every((call, index) => isSameCall(spoken[index]!, call))) return undefined;
  const media = [...mediaOf(made)];
  if (parts.filter(({ type }) => type === "file").length !== media.length) return undefined;
  return parts.map((part) =>
    part.type === "file" ? { ...part, ...toFilePart(version, media.shift()!) } : part,
  );
};
