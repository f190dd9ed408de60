import { isObject } from "../../json/is-object.ts";
import { endDraft } from "../calls/draft.ts";
import type { Drafts } from "../calls/drafts.ts";
import { type Fields, fieldsOf, listOf, textOf } from "../calls/fields.ts";
import { choicesOf, isCut } from "./chat-finish.ts";

/** The calls of an assistant's message, of the present kind, of a custom tool's, or of the one before tools. */
export const readChatMessage = (drafts: Drafts, message: Fields, cut: boolean): void => {
  const list = listOf(message.tool_calls).map(fieldsOf);
  const legacy = list.length === 0 && isObject(message.function_call) ? message.function_call : undefined;
  const found = list.map((call) => {
    const custom = fieldsOf(call.custom);
    const { name, arguments: input } = fieldsOf(call.function);
    const tool = textOf(name) ?? textOf(custom.name);
    return drafts.add({ id: textOf(call.id), tool, input: input === undefined ? custom.input : input });
  });
  if (legacy !== undefined) {
    found.push(drafts.add({ id: undefined, tool: textOf(legacy.name), input: legacy.arguments }));
  }
  const last = found.at(-1);
  if (cut && last !== undefined) endDraft(last, true);
};

/** A chat completion, by OpenAI or by whoever speaks its dialect. */
export const readOpenAIChat = (drafts: Drafts, body: Fields): void => {
  for (const choice of choicesOf(body)) {
    readChatMessage(drafts, fieldsOf(choice.message), isCut(choice.finish_reason));
  }
};
