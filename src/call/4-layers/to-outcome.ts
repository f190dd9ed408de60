import * as Cause from "effect/Cause";
import * as Exit from "effect/Exit";
import { failed, isOutcome, type Outcome } from "../../words/outcome.ts";

/** How the layers ended. They cannot fail, so anything but an outcome is a cancellation or a broken layer. */
export const toOutcome = (exit: Exit.Exit<Outcome>, key: string): Outcome => {
  if (Exit.isSuccess(exit))
    return isOutcome(exit.value) ? exit.value : broke(key, "a layer returned no outcome");
  const defect = exit.cause.reasons.find(Cause.isDieReason);
  return defect === undefined ? cancelled(key) : broke(key, defect.defect);
};

export const cancelled = (key: string): Outcome =>
  failed({ code: "cancelled", tool: key, ran: true, message: `The call of "${key}" was cancelled.` });

const broke = (key: string, cause: unknown): Outcome =>
  failed({
    code: "layer_broke",
    tool: key,
    ran: true,
    message: `A layer around "${key}" broke.`,
    detail: cause instanceof Error ? cause.message : String(cause),
    cause,
  });
