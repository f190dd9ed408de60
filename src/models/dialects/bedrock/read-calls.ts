import { type CallDraft, endDraft } from "../calls/call-draft.ts";
import type { CallDrafts } from "../calls/call-drafts.ts";
import { type ForeignFields, foreignFieldsOf, foreignListOf } from "../calls/read-untyped-fields.ts";
import { isBedrockTruncation, toToolUse } from "./tool-use.ts";

export const readBedrockReply = (drafts: CallDrafts, body: ForeignFields): void => {
  let last: CallDraft | undefined;
  const { content } = foreignFieldsOf(foreignFieldsOf(body.output).message);
  for (const [place, entry] of foreignListOf(content).entries()) {
    const use = toToolUse(foreignFieldsOf(entry));
    last = use && drafts.add({ ...use, part: `/output/message/content/${place}`, isSentWhole: true });
  }
  if (last !== undefined && isBedrockTruncation(body.stopReason)) endDraft(last, true);
};
