import * as Cause from "effect/Cause";
import { textOfThrown } from "../../text/thrown-text.ts";
import { failed, isOutcome, type Outcome } from "../../words/outcome.ts";

/**
 * Why there came no outcome. Nothing in there fails, so it was a cancellation or a broken layer. Before the layers nothing
 * has run; and whether the code in them ran is what was counted.
 */
export const toOutcome = (cause: Cause.Cause<never>, key: string): Outcome => {
  const defect = cause.reasons.find(Cause.isDieReason);
  return defect === undefined ? cancelled(key, false) : brokenLayer(key, defect.defect);
};

/** Whoever should have asked a person broke, or was stopped. Nothing has run. */
export const notAsked = (cause: Cause.Cause<never>, key: string): Outcome => {
  const defect = cause.reasons.find(Cause.isDieReason);
  if (defect === undefined) return cancelled(key, false);
  return failed({
    code: "approval_required",
    tool: key,
    ran: false,
    message: `The call of "${key}" needs a person's approval, and nobody could be asked.`,
    detail: `the approver broke: ${textOfThrown(defect.defect)}`,
    cause: defect.defect,
  });
};

/** A layer written without types may give back anything; and only stage 3 makes a call wait for a person. */
export const orBrokenLayer = (outcome: Outcome, key: string): Outcome =>
  isOutcome(outcome) && outcome._tag !== "pending"
    ? outcome
    : brokenLayer(key, "a layer gave back something that is no outcome");

export const cancelled = (key: string, ran = true): Outcome =>
  failed({ code: "cancelled", tool: key, ran, message: `The call of "${key}" was cancelled.` });

export const brokenLayer = (key: string, cause: unknown): Outcome =>
  failed({
    code: "layer_broke",
    tool: key,
    ran: true,
    message: `A layer around "${key}" broke.`,
    detail: textOfThrown(cause),
    cause,
  });
