import { type CallDraft, endDraft } from "../calls/draft.ts";
import type { Drafts } from "../calls/drafts.ts";
import { type Fields, fieldsOf, listOf } from "../calls/fields.ts";
import { toResponseItem } from "./response-item.ts";

/** A response of OpenAI's Responses API, or of whoever speaks it. */
export const readOpenAIResponse = (drafts: Drafts, body: Fields): void => {
  let last: CallDraft | undefined;
  for (const [place, entry] of listOf(body.output).entries()) {
    const item = toResponseItem(fieldsOf(entry));
    last = item && drafts.add({ ...item, part: `/output/${place}` });
    if (last !== undefined && item?.incomplete) last.state = "open";
  }
  if (body.status === "incomplete" && last?.state === "ended") endDraft(last, true);
};
