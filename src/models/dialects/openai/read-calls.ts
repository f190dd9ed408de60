import { isObject } from "../../../base/json/is-object.ts";
import { endDraft } from "../calls/call-draft.ts";
import type { CallDrafts } from "../calls/call-drafts.ts";
import {
  type ForeignFields,
  foreignFieldsOf,
  foreignListOf,
  foreignTextOf,
} from "../calls/read-untyped-fields.ts";
import { indexedChoicesOf, isChatTruncation } from "./chat-finish.ts";

/** `at` is the message's pointer. */
export const readChatMessage = (
  drafts: CallDrafts,
  message: ForeignFields,
  at: string,
  cut: boolean,
): void => {
  const list = foreignListOf(message.tool_calls).map(foreignFieldsOf);
  const legacy = list.length === 0 && isObject(message.function_call) ? message.function_call : undefined;
  const found = list.map((call, place) => {
    const custom = foreignFieldsOf(call.custom);
    const { name, arguments: input } = foreignFieldsOf(call.function);
    const tool = foreignTextOf(name) ?? foreignTextOf(custom.name);
    const part = `${at}/tool_calls/${place}`;
    return drafts.add({
      id: foreignTextOf(call.id),
      tool,
      input: input === undefined ? custom.input : input,
      part,
    });
  });
  if (legacy !== undefined) {
    const part = `${at}/function_call`;
    found.push(
      drafts.add({ id: undefined, tool: foreignTextOf(legacy.name), input: legacy.arguments, part }),
    );
  }
  const last = found.at(-1);
  if (cut && last !== undefined) endDraft(last, true);
};

export const readOpenAIChat = (drafts: CallDrafts, body: ForeignFields): void => {
  for (const [choice, place] of indexedChoicesOf(body)) {
    const at = `/choices/${place}/message`;
    readChatMessage(drafts, foreignFieldsOf(choice.message), at, isChatTruncation(choice.finish_reason));
  }
};
