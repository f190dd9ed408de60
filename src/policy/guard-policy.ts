import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import type { PolicyEngine } from "./engine.ts";
import { type Decision, decision } from "./judge.ts";
import type { PolicyRequest } from "./request.ts";

/** As the corridor takes it: what fails or makes no sense is a denial. */
export interface GuardedPolicy extends Omit<PolicyEngine, "decide"> {
  readonly decide: (request: PolicyRequest) => Decision | Effect.Effect<Decision>;
}

const effects: readonly unknown[] = ["allow", "deny", "approve"];

const orDenied = (answer: Decision): Decision =>
  effects.includes(answer?.effect) ? answer : decision("deny", "the policy gave no decision");

const broken = (cause: unknown): Decision =>
  decision("deny", `the policy broke: ${cause instanceof Error ? cause.message : String(cause)}`);

const orDeniedLater = (asked: Effect.Effect<Decision, unknown>): Effect.Effect<Decision> =>
  Effect.catchCause(Effect.map(asked, orDenied), (cause) =>
    Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.succeed(broken(Cause.squash(cause))),
  );

/** An engine of somebody else's may throw, or answer with anything. Then nobody may. */
export const guard = (engine: PolicyEngine): GuardedPolicy => ({
  visible: (principal, registration) => {
    try {
      return orDenied(engine.visible(principal, registration));
    } catch (cause) {
      return broken(cause);
    }
  },
  decide: (request) => {
    try {
      const answer = engine.decide(request);
      return Effect.isEffect(answer) ? orDeniedLater(answer) : orDenied(answer);
    } catch (cause) {
      return broken(cause);
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
  ...(engine.explain !== undefined && { explain: (request) => engine.explain!(request) }),
});
