import type { Decision } from "../../policy/policy.ts";
import type { AuthorizedCall, BoundCall } from "../../words/call.ts";

const told = new WeakMap<Decision, string>();

/** Policy gives the same decision for the same case, so most are put into words once. */
const describe = (decision: Decision): string => {
  let text = told.get(decision);
  if (text === undefined) {
    const { ruleIds, reason } = decision;
    text = ruleIds.length === 0 ? reason : `${ruleIds.join(", ")}: ${reason}`;
    told.set(decision, text);
  }
  return text;
};

/** The only maker of an AuthorizedCall; what is granted is exactly what is in it now. */
export const grant = (call: BoundCall, decision: Decision): AuthorizedCall =>
  ({
    trip: call.trip,
    principal: call.principal,
    registration: call.registration,
    spec: call.spec,
    input: call.input,
    validated: call.validated,
    run: call.run,
    env: call.trip.env,
    grant: {
      principal: call.principal,
      registration: call.registration,
      input: call.input,
      run: call.run,
      decision: describe(decision),
    },
  }) as unknown as AuthorizedCall;
