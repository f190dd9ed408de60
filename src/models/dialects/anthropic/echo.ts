import type { JsonObject } from "../../../base/json/is-object.ts";
import type { RawCall } from "../../../types/call.ts";
import type { AssistantMessage, ProviderEcho } from "../../../types/message.ts";
import { foreignFieldsOf } from "../calls/read-untyped-fields.ts";
import { readField, toCount, toItems, toTextOrEmpty } from "../model-reply.ts";
import { toObjectArguments } from "../to-object-arguments.ts";

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
export const echoedBlocks = (
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
