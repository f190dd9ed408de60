import * as Cause from "effect/Cause";
import { thrownMessage } from "../../base/text/thrown-message.ts";
import { failed, isOutcome, type Outcome } from "../../types/outcome.ts";

/** The error channel is empty, so the cause is a cancellation or a defect of a layer. */
export const toCauseOutcome = (cause: Cause.Cause<never>, key: string): Outcome => {
  const defect = cause.reasons.find(Cause.isDieReason);
  return defect === undefined ? cancelledOutcome(key, false) : layerBrokeOutcome(key, defect.defect);
};

export const approverFailedOutcome = (cause: Cause.Cause<never>, key: string): Outcome => {
  const defect = cause.reasons.find(Cause.isDieReason);
  if (defect === undefined) return cancelledOutcome(key, false);
  return failed({
    code: "approval_required",
    tool: key,
    ran: false,
    message: `The call of "${key}" requires approval, and no approver is configured.`,
    detail: `the approver failed: ${thrownMessage(defect.defect)}`,
    cause: defect.defect,
  });
};

/** Checks the return value of untyped layers. Only stage 3 can make a call pending. */
export const requireOutcome = (outcome: Outcome, key: string): Outcome =>
  isOutcome(outcome) && outcome._tag !== "pending"
    ? outcome
    : layerBrokeOutcome(
        key,
        typeof outcome === "function"
          ? "a layer returned a function instead of an outcome: call the function that creates the layer, as in .layer(retry())"
          : "a layer returned a value that is not an outcome",
      );

export const cancelledOutcome = (key: string, ran = true): Outcome =>
  failed({ code: "cancelled", tool: key, ran, message: `The call of "${key}" was cancelled.` });

export const layerBrokeOutcome = (key: string, cause: unknown): Outcome =>
  failed({
    code: "layer_broke",
    tool: key,
    ran: true,
    message: `A layer around "${key}" failed.`,
    detail: thrownMessage(cause),
    cause,
  });
