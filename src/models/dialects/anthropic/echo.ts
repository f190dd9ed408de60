import type { JsonObject } from "../../json/is-object.ts";
import type { RawCall } from "../../words/call.ts";
import type { AssistantMessage, Echo } from "../../words/message.ts";
import { fieldsOf } from "../calls/fields.ts";
import { objectArguments } from "../object-arguments.ts";
import { count, field, itemsOf, textIn } from "../reply.ts";

const wire = "anthropic";

/** Texts and arguments stand in the message already: here is only their place, and what else belongs to them. */
const toMark = (block: JsonObject): JsonObject => {
  if (block.type === "text") {
    const { text, ...mark } = block;
    return { ...mark, length: textIn(text).length };
  }
  if (block.type !== "tool_use") {
    return typeof block.input === "string" ? { ...block, input: objectArguments(block.input) } : block;
  }
  const { id: _, input: __, ...mark } = block;
  return mark;
};

const isPlain = ({ type }: JsonObject): boolean => type === "text" || type === "tool_use";

/** Signed thoughts and what the provider's own tools found. Missing where text and calls say all there is. */
export const toAnthropicEcho = (blocks: readonly unknown[]): Echo | undefined => {
  const kept = blocks.filter((block): block is JsonObject => typeof block === "object" && block !== null);
  return kept.every(isPlain) ? undefined : { wire, data: { blocks: kept.map(toMark) } };
};

interface AnthropicSpelling {
  readonly toText: (text: string) => readonly JsonObject[];
  readonly toToolUse: (call: RawCall) => JsonObject;
}

const withText = ({ length: _, ...mark }: JsonObject, blocks: readonly JsonObject[]): readonly JsonObject[] =>
  blocks.map((block) => ({ ...mark, ...block }));

/** The blocks in the order they came, unless somebody changed what was said since: then they are no longer true. */
export const echoedBlocks = (
  { content, calls = [], echo }: AssistantMessage,
  { toText, toToolUse }: AnthropicSpelling,
): readonly JsonObject[] | undefined => {
  if (echo?.wire !== wire) return undefined;
  const blocks: JsonObject[] = [];
  let read = 0;
  let called = 0;
  for (const mark of itemsOf(field(echo.data, "blocks")).map(fieldsOf)) {
    if (mark.type === "text") {
      const end = read + count(mark.length);
      blocks.push(...withText(mark, toText(content.slice(read, end))));
      read = end;
    } else if (mark.type === "tool_use") {
      const call = calls[called++];
      if (call === undefined || call.tool !== mark.name) return undefined;
      blocks.push({ ...mark, ...toToolUse(call) });
    } else blocks.push(mark);
  }
  return read === content.length && called === calls.length ? blocks : undefined;
};
