import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import { type Decision, makeDecision } from "./decide-case.ts";
import type { PolicyEngine, PolicyRequest } from "./engine.ts";

export interface GuardedPolicy extends Omit<PolicyEngine, "decide"> {
  readonly decide: (request: PolicyRequest) => Decision | Effect.Effect<Decision>;
}

const validEffects: readonly unknown[] = ["allow", "deny", "approve"];

const noDecision =
  'the policy returned no decision: decide must return { effect: "allow" | "deny" | "approve", ruleIds, reason }';

const denyIfInvalid = (answer: Decision): Decision =>
  validEffects.includes(answer?.effect) ? answer : makeDecision("deny", noDecision);

const brokenPolicyDecision = (cause: unknown): Decision =>
  makeDecision("deny", `the policy failed: ${cause instanceof Error ? cause.message : String(cause)}`);

const isPromise = (answer: Decision | PromiseLike<Decision>): answer is PromiseLike<Decision> =>
  typeof (answer as Partial<PromiseLike<Decision>> | undefined)?.then === "function";

const asIs = (error: unknown): unknown => error;

const denyOnFailure = (asked: Effect.Effect<Decision, unknown>): Effect.Effect<Decision> =>
  Effect.catchCause(Effect.map(asked, denyIfInvalid), (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.interrupt
      : Effect.succeed(brokenPolicyDecision(Cause.squash(cause))),
  );

/** A custom engine may throw or return an invalid answer. Both deny the call. */
export const guardPolicy = (engine: PolicyEngine): GuardedPolicy => ({
  visible: (principal, registration) => {
    try {
      return denyIfInvalid(engine.visible(principal, registration));
    } catch (cause) {
      return brokenPolicyDecision(cause);
    }
  },
  decide: (request) => {
    try {
      const answer = engine.decide(request);
      if (Effect.isEffect(answer)) return denyOnFailure(answer);
      if (isPromise(answer)) return denyOnFailure(Effect.tryPromise({ try: () => answer, catch: asIs }));
      return denyIfInvalid(answer);
    } catch (cause) {
      return brokenPolicyDecision(cause);
    }
  },
  ...(engine.settled === undefined
    ? {}
    : {
        settled: (principal, registration) => {
          try {
            return engine.settled!(principal, registration);
          } catch {
            return undefined;
          }
        },
      }),
  ...(engine.depends === undefined
    ? {}
    : {
        depends: (principal, registration) => {
          try {
            return engine.depends!(principal, registration);
          } catch {
            return undefined;
          }
        },
      }),
  ...(engine.countsCost === undefined ? {} : { countsCost: engine.countsCost }),
  ...(engine.plansRuns === undefined ? {} : { plansRuns: engine.plansRuns }),
  ...(engine.explain !== undefined && { explain: (request) => engine.explain!(request) }),
});
