import { type CallDraft, endDraft } from "../calls/call-draft.ts";
import type { CallDrafts } from "../calls/call-drafts.ts";
import { type ForeignFields, foreignFieldsOf, foreignListOf } from "../calls/read-untyped-fields.ts";
import { isInteractionTruncation, toInteractionStep } from "./interaction-step.ts";

/** Older API versions have outputs instead of steps. */
export const readGeminiInteraction = (drafts: CallDrafts, body: ForeignFields): void => {
  let last: CallDraft | undefined;
  const list = body.steps === undefined || body.steps === null ? "outputs" : "steps";
  for (const [place, entry] of foreignListOf(body[list]).entries()) {
    const step = toInteractionStep(foreignFieldsOf(entry));
    last = step && drafts.add({ ...step, part: `/${list}/${place}`, isSentWhole: true });
  }
  if (last !== undefined && isInteractionTruncation(body.status)) endDraft(last, true);
};
