import type { JsonObject } from "../../../base/json/is-object.ts";
import type { RawCall } from "../../../types/call.ts";
import { mediaOf } from "../../../types/content.ts";
import type { AssistantMessage, ProviderEcho } from "../../../types/message.ts";
import { foreignFieldsOf } from "../calls/read-untyped-fields.ts";
import { readField, toCount, toItems, toTextOrEmpty } from "../model-reply.ts";
import { readGeneratedImage } from "./responses-media.ts";

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
export const echoedItems = (
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
