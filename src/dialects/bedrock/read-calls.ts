import { type CallDraft, endDraft } from "../calls/draft.ts";
import type { Drafts } from "../calls/drafts.ts";
import { type Fields, fieldsOf, listOf } from "../calls/fields.ts";
import { isCut, toToolUse } from "./tool-use.ts";

/** A reply of Bedrock's Converse. */
export const readBedrockReply = (drafts: Drafts, body: Fields): void => {
  let last: CallDraft | undefined;
  const { content } = fieldsOf(fieldsOf(body.output).message);
  for (const [place, entry] of listOf(content).entries()) {
    const use = toToolUse(fieldsOf(entry));
    last = use && drafts.add({ ...use, part: `/output/message/content/${place}`, isSentWhole: true });
  }
  if (last !== undefined && isCut(body.stopReason)) endDraft(last, true);
};
