import { type CallDraft, type CallDrafts, endDraft } from "../calls/call-drafts.ts";
import {
  type EventReader,
  type ForeignFields,
  foreignFieldsOf,
  foreignListOf,
  foreignTextOf,
} from "../calls/wire-reader.ts";

export interface OllamaStreamState {
  readonly last: CallDraft | undefined;
  readonly count: number;
}

const emptyState: OllamaStreamState = { last: undefined, count: 0 };

/** Ollama never splits a call. */
export const readOllamaReply = (
  drafts: CallDrafts,
  reply: ForeignFields,
  before = emptyState,
): OllamaStreamState => {
  const { content, tool_calls: calls } = foreignFieldsOf(reply.message);
  const { count: from } = before;
  const list = foreignListOf(calls);
  let last = foreignTextOf(content) === undefined ? before.last : undefined;
  for (const [place, entry] of list.entries()) {
    const { id, function: called } = foreignFieldsOf(entry);
    const { name, arguments: input } = foreignFieldsOf(called);
    last =
      drafts.add({
        id: foreignTextOf(id),
        tool: foreignTextOf(name),
        input,
        part: `/message/tool_calls/${from + place}`,
        isSentWhole: true,
      }) ?? last;
  }
  if (last !== undefined && reply.done_reason === "length") endDraft(last, true);
  return { last, count: from + list.length };
};

export const ollamaEvents = (drafts: CallDrafts): EventReader => {
  let state: OllamaStreamState | undefined;
  return {
    read: (event) => {
      state = readOllamaReply(drafts, event, state);
    },
  };
};
