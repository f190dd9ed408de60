import { endDraft } from "../calls/draft.ts";
import type { Drafts } from "../calls/drafts.ts";
import { type Fields, fieldsOf, listOf, textOf } from "../calls/fields.ts";

const cuts: ReadonlySet<unknown> = new Set(["MAX_TOKENS", "ERROR", "TIMEOUT"]);

/** Whether a message that finishes for this reason broke off. */
export const isCut = (reason: unknown): boolean => cuts.has(reason);

/** A reply of Cohere's second chat API. */
export const readCohereReply = (drafts: Drafts, body: Fields): void => {
  const found = listOf(fieldsOf(body.message).tool_calls).map((entry, place) => {
    const { id, function: called } = fieldsOf(entry);
    const { name, arguments: input } = fieldsOf(called);
    return drafts.add({ id: textOf(id), tool: textOf(name), input, part: `/message/tool_calls/${place}` });
  });
  const last = found.at(-1);
  if (last !== undefined && isCut(body.finish_reason)) endDraft(last, true);
};
