import { type CallDraft, endDraft } from "../calls/call-draft.ts";
import type { CallDrafts } from "../calls/call-drafts.ts";
import { type ForeignFields, foreignFieldsOf, foreignListOf } from "../calls/read-untyped-fields.ts";
import { isAnthropicTruncation, toToolBlock } from "./tool-block.ts";

/** A last call may lack arguments if the token limit was reached. */
export const readAnthropicMessage = (drafts: CallDrafts, body: ForeignFields): void => {
  let last: CallDraft | undefined;
  for (const [place, entry] of foreignListOf(body.content).entries()) {
    const block = toToolBlock(foreignFieldsOf(entry));
    last = block && drafts.add({ ...block, part: `/content/${place}`, isSentWhole: true });
  }
  if (last !== undefined && isAnthropicTruncation(body.stop_reason)) endDraft(last, true);
};
