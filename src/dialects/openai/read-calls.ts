import { isObject } from "../../json/is-object.ts";
import { endDraft } from "../calls/draft.ts";
import type { Drafts } from "../calls/drafts.ts";
import { type Fields, fieldsOf, listOf, textOf } from "../calls/fields.ts";
import { isCut, placedChoicesOf } from "./chat-finish.ts";

/**
 * The calls of an assistant's message, of the present kind, of a custom tool's, or of the one before tools. `at` leads to
 * the message.
 */
export const readChatMessage = (drafts: Drafts, message: Fields, at: string, cut: boolean): void => {
  const list = listOf(message.tool_calls).map(fieldsOf);
  const legacy = list.length === 0 && isObject(message.function_call) ? message.function_call : undefined;
  const found = list.map((call, place) => {
    const custom = fieldsOf(call.custom);
    const { name, arguments: input } = fieldsOf(call.function);
    const tool = textOf(name) ?? textOf(custom.name);
    const part = `${at}/tool_calls/${place}`;
    return drafts.add({ id: textOf(call.id), tool, input: input === undefined ? custom.input : input, part });
  });
  if (legacy !== undefined) {
    const part = `${at}/function_call`;
    found.push(drafts.add({ id: undefined, tool: textOf(legacy.name), input: legacy.arguments, part }));
  }
  const last = found.at(-1);
  if (cut && last !== undefined) endDraft(last, true);
};

/** A chat completion, by OpenAI or by whoever speaks its dialect. */
export const readOpenAIChat = (drafts: Drafts, body: Fields): void => {
  for (const [choice, place] of placedChoicesOf(body)) {
    const at = `/choices/${place}/message`;
    readChatMessage(drafts, fieldsOf(choice.message), at, isCut(choice.finish_reason));
  }
};
