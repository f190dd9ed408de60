import * as Effect from "effect/Effect";
import { isStricter, strictestDecision } from "./delegation-chain.ts";
import type { PolicyEngine, SyncPolicyEngine } from "./engine.ts";
import { guardPolicy } from "./guard-policy.ts";

/**
 * A custom engine can only restrict: the caller's rights and all settings still apply, and it is not called
 * for what they deny.
 */
export const narrowEngine = (builtIn: SyncPolicyEngine, custom: PolicyEngine): PolicyEngine => {
  const other = guardPolicy(custom);
  return Object.freeze({
    visible: (principal, registration) => {
      const first = builtIn.visible(principal, registration);
      return first.effect === "deny"
        ? first
        : strictestDecision([first, other.visible(principal, registration)]);
    },
    decide: (request) => {
      const first = builtIn.decide(request);
      if (first.effect === "deny") return first;
      const answer = other.decide(request);
      return Effect.isEffect(answer)
        ? Effect.map(answer, (second) => strictestDecision([first, second]))
        : strictestDecision([first, answer]);
    },
    depends: (principal, registration) => {
      const first = builtIn.depends?.(principal, registration);
      const second = other.depends?.(principal, registration);
      return first === undefined || second === undefined ? undefined : [...new Set([...first, ...second])];
    },
    plansRuns: builtIn.plansRuns === true,
    countsCost: builtIn.countsCost === true || other.countsCost === true,
    ...(other.explain === undefined
      ? {}
      : {
          explain: (request) =>
            Effect.runPromise(
              Effect.zipWith(
                Effect.promise(() => builtIn.explain!(request)),
                Effect.promise(() => other.explain!(request)),
                (first, second) => (isStricter(second, first) ? second : first),
                { concurrent: true },
              ),
            ),
        }),
  } satisfies PolicyEngine);
};
