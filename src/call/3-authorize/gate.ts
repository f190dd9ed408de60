import * as Effect from "effect/Effect";
import type { AuthorizedCall } from "../../words/call.ts";
import type { Handler, TimeLimit } from "../../words/layer.ts";
import { isOutcome, type Outcome } from "../../words/outcome.ts";
import type { House } from "../house.ts";
import { authorize, isQuestion, type Revise } from "./authorize.ts";
import { isGranted } from "./grant.ts";
import { denied, needsPerson } from "./refuse.ts";

/**
 * The innermost layer. What reaches the code is what was granted; an input that a layer changed is validated and
 * decided anew, by policy and by the approval layers. Without this, a layer that rewrites its input would run
 * something that nobody allowed.
 */
export const gate = (house: House, revise: Revise) => {
  const guard = (next: Handler): Handler => {
    const handler: Handler = (call) => {
      if (!isGranted(call)) return Effect.succeed(denied(call, forged));
      if (call.input === call.grant.input) return next(call);
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

const forged = { reason: "a layer changed who calls, what is called, or the grant", ruleIds: [] };

/** Nobody can be asked in here, so an input that needs a person is refused. */
const again = (house: House, call: AuthorizedCall, revise: Revise): AuthorizedCall | Outcome => {
  const revised = revise(call, call.input);
  if (isOutcome(revised)) return revised;
  const authorized = authorize(house, revised, call.grant.approvers, revise);
  if (isOutcome(authorized)) return authorized;
  return isQuestion(authorized) ? needsPerson(authorized.call, authorized.reason) : authorized;
};
