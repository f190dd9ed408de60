import type { PolicyEngine } from "../../../policy/engine.ts";
import type { Registration } from "../../../types/tool.ts";

/**
 * Search tools need no entry in `allow` lists: they only find what their caller may see. Rules and `deny`
 * lists still apply.
 */
export const exemptSearchTools = (policy: PolicyEngine): PolicyEngine => ({
  ...policy,
  visible: (principal, registration) => policy.visible(principal, exemptRegistration(registration)),
  decide: (request) => policy.decide({ ...request, registration: exemptRegistration(request.registration) }),
});

const exemptRegistrations = new WeakMap<Registration, Registration>();

/** One object per registration keeps caches warm. */
const exemptRegistration = (registration: Registration): Registration => {
  const before = exemptRegistrations.get(registration);
  if (before !== undefined) return before;
  const one = Object.freeze({ ...registration, isFree: true as const });
  exemptRegistrations.set(registration, one);
  return one;
};
