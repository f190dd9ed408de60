import { type CallDraft, endDraft } from "../calls/draft.ts";
import type { Drafts } from "../calls/drafts.ts";
import { type Fields, fieldsOf, listOf } from "../calls/fields.ts";
import { isCut, toInteractionStep } from "./interaction-step.ts";

/** A reply of the Interactions API: its steps, or its outputs as they were called before. */
export const readGeminiInteraction = (drafts: Drafts, body: Fields): void => {
  let last: CallDraft | undefined;
  const list = body.steps === undefined || body.steps === null ? "outputs" : "steps";
  for (const [place, entry] of listOf(body[list]).entries()) {
    const step = toInteractionStep(fieldsOf(entry));
    last = step && drafts.add({ ...step, part: `/${list}/${place}`, isSentWhole: true });
  }
  if (last !== undefined && isCut(body.status)) endDraft(last, true);
};
