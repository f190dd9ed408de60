import * as Effect from "effect/Effect";
import type { AuthorizedCall } from "../../words/call.ts";
import type { Handler, TimeLimit } from "../../words/layer.ts";
import { isOutcome, type Outcome } from "../../words/outcome.ts";
import type { House } from "../house.ts";
import { decide, type Revise } from "./authorize.ts";
import { denied, needsPerson } from "./refuse.ts";

/**
 * The innermost layer. What reaches the code is what was granted, or it is validated and decided
 * anew: without this, a layer that rewrites its input would run something policy never saw.
 */
export const gate = (house: House, revise: Revise) => {
  const guard = (next: Handler): Handler => {
    const handler: Handler = (call) => {
      const { grant } = call;
      const same =
        call.input === grant.input &&
        call.run === grant.run &&
        call.registration === grant.registration &&
        call.principal === grant.principal;
      if (same) return next(call);
      const passed = again(house, call, revise);
      return isOutcome(passed) ? Effect.succeed(passed) : next(passed);
    };
    const { within } = next;
    return within === undefined
      ? handler
      : Object.assign(handler, { within: (limit: TimeLimit) => guard(within(limit)) });
  };
  return guard;
};

const again = (house: House, call: AuthorizedCall, revise: Revise): AuthorizedCall | Outcome => {
  if (call.principal !== call.grant.principal) return denied(call, "a layer changed the principal");
  const revised = call.input === call.grant.input ? call : revise(call, call.input);
  if (isOutcome(revised)) return revised;
  const decision = decide(house, revised);
  if (decision.effect === "deny") return denied(revised, decision.reason);
  if (decision.effect === "approve") return needsPerson(revised, decision.reason);
  return revised === call ? call : { ...call, input: revised.input };
};
