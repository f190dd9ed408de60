import * as Cause from "effect/Cause";
import { thrownMessage } from "../../base/text/thrown-message.ts";
import { failed, isOutcome, type Outcome } from "../../types/outcome.ts";

/**
 * Why there came no outcome. Nothing in there fails, so it was a cancellation or a broken layer. Before the layers nothing
 * has run; and whether the code in them ran is what was counted.
 */
export const toCauseOutcome = (cause: Cause.Cause<never>, key: string): Outcome => {
  const defect = cause.reasons.find(Cause.isDieReason);
  return defect === undefined ? cancelledOutcome(key, false) : layerBrokeOutcome(key, defect.defect);
};

/** Whoever should have asked a person broke, or was stopped. Nothing has run. */
export const approverFailedOutcome = (cause: Cause.Cause<never>, key: string): Outcome => {
  const defect = cause.reasons.find(Cause.isDieReason);
  if (defect === undefined) return cancelledOutcome(key, false);
  return failed({
    code: "approval_required",
    tool: key,
    ran: false,
    message: `The call of "${key}" needs a person's approval, and nobody could be asked.`,
    detail: `the approver broke: ${thrownMessage(defect.defect)}`,
    cause: defect.defect,
  });
};

/** A layer written without types may give back anything; and only stage 3 makes a call wait for a person. */
export const requireOutcome = (outcome: Outcome, key: string): Outcome =>
  isOutcome(outcome) && outcome._tag !== "pending"
    ? outcome
    : layerBrokeOutcome(
        key,
        typeof outcome === "function"
          ? "a layer gave back a function in the place of an outcome: call the function that makes it, as in .layer(retry())"
          : "a layer gave back something that is no outcome",
      );

export const cancelledOutcome = (key: string, ran = true): Outcome =>
  failed({ code: "cancelled", tool: key, ran, message: `The call of "${key}" was cancelled.` });

export const layerBrokeOutcome = (key: string, cause: unknown): Outcome =>
  failed({
    code: "layer_broke",
    tool: key,
    ran: true,
    message: `A layer around "${key}" broke.`,
    detail: thrownMessage(cause),
    cause,
  });
