import { type CallDraft, endDraft } from "../calls/draft.ts";
import type { Drafts } from "../calls/drafts.ts";
import { type Fields, fieldsOf, listOf } from "../calls/fields.ts";
import { isCut, toToolBlock } from "./tool-block.ts";

/** A message of Anthropic's. A call that stands last when the tokens ran out may lack arguments: it is in doubt. */
export const readAnthropicMessage = (drafts: Drafts, body: Fields): void => {
  let last: CallDraft | undefined;
  for (const [place, entry] of listOf(body.content).entries()) {
    const block = toToolBlock(fieldsOf(entry));
    last = block && drafts.add({ ...block, part: `/content/${place}`, isSentWhole: true });
  }
  if (last !== undefined && isCut(body.stop_reason)) endDraft(last, true);
};
