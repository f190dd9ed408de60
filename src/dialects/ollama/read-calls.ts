import { type CallDraft, endDraft } from "../calls/draft.ts";
import type { Drafts } from "../calls/drafts.ts";
import { type Fields, fieldsOf, listOf, textOf } from "../calls/fields.ts";

/** Reads replies and the lines of a stream alike: Ollama sends every call whole. Gives the call that stands last. */
export const readOllamaReply = (drafts: Drafts, reply: Fields, before?: CallDraft): CallDraft | undefined => {
  const { content, tool_calls: calls } = fieldsOf(reply.message);
  let last = textOf(content) === undefined ? before : undefined;
  for (const entry of listOf(calls)) {
    const { id, function: called } = fieldsOf(entry);
    const { name, arguments: input } = fieldsOf(called);
    last = drafts.add({ id: textOf(id), tool: textOf(name), input, isSentWhole: true }) ?? last;
  }
  if (last !== undefined && reply.done_reason === "length") endDraft(last, true);
  return last;
};
