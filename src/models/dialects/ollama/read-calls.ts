import { type CallDraft, endDraft } from "../calls/draft.ts";
import type { Drafts } from "../calls/drafts.ts";
import { type Fields, fieldsOf, listOf, textOf } from "../calls/fields.ts";

/** What the lines of a stream before this one said. */
export interface OllamaBefore {
  /** The call that stands last. */
  readonly last: CallDraft | undefined;
  /** How many calls there were. */
  readonly count: number;
}

const nothing: OllamaBefore = { last: undefined, count: 0 };

/** Reads replies and the lines of a stream alike: Ollama sends every call whole. */
export const readOllamaReply = (drafts: Drafts, reply: Fields, before = nothing): OllamaBefore => {
  const { content, tool_calls: calls } = fieldsOf(reply.message);
  const { count: from } = before;
  const list = listOf(calls);
  let last = textOf(content) === undefined ? before.last : undefined;
  for (const [place, entry] of list.entries()) {
    const { id, function: called } = fieldsOf(entry);
    const { name, arguments: input } = fieldsOf(called);
    last =
      drafts.add({
        id: textOf(id),
        tool: textOf(name),
        input,
        part: `/message/tool_calls/${from + place}`,
        isSentWhole: true,
      }) ?? last;
  }
  if (last !== undefined && reply.done_reason === "length") endDraft(last, true);
  return { last, count: from + list.length };
};
