import { type CallDraft, endDraft } from "../calls/call-draft.ts";
import type { CallDrafts } from "../calls/call-drafts.ts";
import { type ForeignFields, foreignFieldsOf, foreignListOf } from "../calls/read-untyped-fields.ts";
import { toResponseItem } from "./response-item.ts";

export const readOpenAIResponse = (drafts: CallDrafts, body: ForeignFields): void => {
  let last: CallDraft | undefined;
  for (const [place, entry] of foreignListOf(body.output).entries()) {
    const item = toResponseItem(foreignFieldsOf(entry));
    last = item && drafts.add({ ...item, part: `/output/${place}` });
    if (last !== undefined && item?.incomplete) last.state = "open";
  }
  if (body.status === "incomplete" && last?.state === "ended") endDraft(last, true);
};
