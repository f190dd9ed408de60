import * as Effect from "effect/Effect";
import type { PolicyEngine } from "../../policy/engine.ts";
import { type Decision, decision } from "../../policy/judge.ts";
import { compilePatterns } from "../../policy/pattern.ts";
import type { Principal } from "../../words/principal.ts";

const everybody = decision("allow", "every client of the gateway may search what it may see");

/**
 * Who may search and load. A list of rights would have to name these tools wherever it names any, for nothing: they find
 * only what their caller may see. So a right that does not name them is no refusal. A rule that denies them is one, and so
 * is the caller's own `deny`.
 */
export const whoMaySearch = (policy: PolicyEngine): PolicyEngine => {
  const widened = new WeakMap<Principal, Principal>();
  const asked = (principal: Principal): Principal => {
    const before = widened.get(principal);
    if (before !== undefined) return before;
    const wide = withEveryRight(principal);
    widened.set(principal, wide);
    return wide;
  };
  return {
    visible: (principal, registration) => {
      if (principal === undefined) return policy.visible(principal, registration);
      return (
        deniedTo(principal, registration.key) ?? orEverybody(policy.visible(asked(principal), registration))
      );
    },
    decide: (request) => {
      const { principal, registration } = request;
      if (principal === undefined) return policy.decide(request);
      const denied = deniedTo(principal, registration.key);
      if (denied !== undefined) return denied;
      const said = policy.decide({ ...request, principal: asked(principal) });
      return Effect.isEffect(said) ? Effect.map(said, orEverybody) : orEverybody(said);
    },
  };
};

/** Only a rule is named in a decision; the rest of what denies is that nobody allowed it. */
const orEverybody = (said: Decision): Decision =>
  said.effect === "deny" && said.ruleIds.length > 0 ? said : everybody;

/** The same parties, so that rules find who they are about. */
const withEveryRight = ({ deny, toolkits, within, ...principal }: Principal): Principal =>
  Object.freeze({
    ...principal,
    allow: ["*"],
    ...(within === undefined ? {} : { within: withEveryRight(within) }),
  });

const deniedTo = ({ deny, agent, within }: Principal, key: string): Decision | undefined => {
  if (deny !== undefined && compilePatterns(deny)(key))
    return decision("deny", `the deny list of "${agent}" covers ${key}`);
  return within === undefined ? undefined : deniedTo(within, key);
};
