import * as Cause from "effect/Cause";
import { failed, isOutcome, type Outcome } from "../../words/outcome.ts";

/** Why the layers came to no outcome. They cannot fail, so it was a cancellation or a broken layer. */
export const toOutcome = (cause: Cause.Cause<never>, key: string): Outcome => {
  const defect = cause.reasons.find(Cause.isDieReason);
  return defect === undefined ? cancelled(key) : broke(key, defect.defect);
};

/** A layer written without types may give back anything; and only stage 3 makes a call wait for a person. */
export const orBroke = (outcome: Outcome, key: string): Outcome =>
  isOutcome(outcome) && outcome._tag !== "pending"
    ? outcome
    : broke(key, "a layer gave back something that is no outcome");

export const cancelled = (key: string): Outcome =>
  failed({ code: "cancelled", tool: key, ran: true, message: `The call of "${key}" was cancelled.` });

export const broke = (key: string, cause: unknown): Outcome =>
  failed({
    code: "layer_broke",
    tool: key,
    ran: true,
    message: `A layer around "${key}" broke.`,
    detail: cause instanceof Error ? cause.message : String(cause),
    cause,
  });
