import type { PolicyEngine } from "../../../policy/engine.ts";
import type { Registration } from "../../../types/tool.ts";

/**
 * Who may search and load. A list of rights would have to name these tools wherever it names any, for nothing: they find
 * only what their caller may see. So they need no right; rules, a caller's own `deny` and an engine of the operator's
 * count as for any other tool.
 */
export const exemptSearchTools = (policy: PolicyEngine): PolicyEngine => ({
  ...policy,
  visible: (principal, registration) => policy.visible(principal, exemptRegistration(registration)),
  decide: (request) => policy.decide({ ...request, registration: exemptRegistration(request.registration) }),
});

const exemptRegistrations = new WeakMap<Registration, Registration>();

/** One object for each, so that what a policy keeps by it stays warm. */
const exemptRegistration = (registration: Registration): Registration => {
  const before = exemptRegistrations.get(registration);
  if (before !== undefined) return before;
  const one = Object.freeze({ ...registration, isFree: true as const });
  exemptRegistrations.set(registration, one);
  return one;
};
