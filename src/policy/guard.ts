import type { PolicyEngine } from "./engine.ts";
import { type Decision, decision } from "./judge.ts";

const effects: readonly unknown[] = ["allow", "deny", "approve"];

const guarded = (ask: () => Decision): Decision => {
  try {
    const answer = ask();
    return effects.includes(answer?.effect) ? answer : decision("deny", "the policy gave no decision");
  } catch (cause) {
    return decision("deny", `the policy broke: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
};

/** An engine of somebody else's may throw, or answer with anything. Then nobody may. */
export const guard = (engine: PolicyEngine): PolicyEngine => ({
  visible: (principal, registration) => guarded(() => engine.visible(principal, registration)),
  decide: (request) => guarded(() => engine.decide(request)),
  ...(engine.explain !== undefined && { explain: (request) => engine.explain!(request) }),
});
