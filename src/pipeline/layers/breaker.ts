import * as Clock from "effect/Clock";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import { checkFields } from "../../base/json/check-fields.ts";
import type { CallRequest } from "../../types/call.ts";
import type { Outcome } from "../../types/outcome.ts";
import type { Handler, ToolLayer } from "../../types/tool.ts";
import { circuitOpenOutcome, classifyExit } from "./circuit.ts";
import { fleetBreaker } from "./fleet-breaker.ts";
import { readCount, readFleetScopeName, readMillis } from "./read-option.ts";

/** Options of the `breaker` layer. */
export interface BreakerOptions {
  /** Consecutive failures of a tool that open the breaker. */
  readonly failures?: number;
  /** Time until an open breaker admits a test call. */
  readonly cooldown?: Duration.Input;
  /** `fleet` shares the breaker with all processes. Unless set: `process`. */
  readonly scope?: "process" | "fleet";
  /** Identifies a fleet breaker across processes. */
  readonly name?: string;
}

interface BreakerState {
  failures: number;
  openedAt: number | undefined;
  testing: boolean;
}

type CallPurpose = "work" | "test";

/** Rejects calls of a tool after repeated failures, and removes it from the offer meanwhile. */
export const breaker = (options: BreakerOptions = {}): ToolLayer => {
  checkFields("breaker", options, ["failures", "cooldown", "scope", "name"]);
  const name = readFleetScopeName("breaker", options);
  const maxFailures = readCount("breaker failures", options.failures ?? 5, 1);
  const cooldown = readMillis("breaker cooldown", options.cooldown ?? "30 seconds");
  if (name !== undefined) return fleetBreaker({ name, allowed: maxFailures, cooldown });
  const states = new Map<string, BreakerState>();
  const activeRequests = new Set<CallRequest>();

  /** A wall clock that was set back counts as cooled down. */
  const remaining = (state: BreakerState | undefined, now: number): number => {
    if (state?.openedAt === undefined) return 0;
    const elapsed = now - state.openedAt;
    return elapsed < 0 ? 0 : Math.max(0, cooldown - elapsed);
  };

  const admit = (key: string, now: number): CallPurpose | BreakerState => {
    const state = states.get(key);
    if (state?.openedAt === undefined) return "work";
    if (state.testing || remaining(state, now) > 0) return state;
    state.testing = true;
    return "test";
  };

  const record = (key: string, purpose: CallPurpose, exit: Exit.Exit<Outcome>, now: number): void => {
    const state = states.get(key) ?? { failures: 0, openedAt: undefined, testing: false };
    if (purpose === "test") state.testing = false;
    // Calls that started before the breaker opened do not count.
    else if (state.openedAt !== undefined) return;
    const verdict = classifyExit(exit);
    if (verdict === "well") states.delete(key);
    if (verdict !== "unwell") return;
    state.failures++;
    if (state.failures >= maxFailures) state.openedAt = now;
    states.set(key, state);
  };

  const wrap =
    (next: Handler): Handler =>
    (call) => {
      const { request, registration } = call;
      let purpose: CallPurpose | undefined;
      let clock: Clock.Clock | undefined;
      // Registers the finalizer first, so that a cancelled test call is always released.
      return Effect.onExitPrimitive(
        Effect.withFiber((fiber) => {
          // A breaker used at two scopes counts a call once.
          if (activeRequests.has(request)) return next(call);
          clock = fiber.getRef(Clock.Clock);
          const now = clock.currentTimeMillisUnsafe();
          const admitted = admit(registration.key, now);
          if (typeof admitted === "object") {
            return Effect.succeed(circuitOpenOutcome(call, admitted.failures, remaining(admitted, now)));
          }
          purpose = admitted;
          activeRequests.add(request);
          return next(call);
        }),
        (exit) => {
          if (purpose === undefined || clock === undefined) return undefined;
          activeRequests.delete(request);
          record(registration.key, purpose, exit, clock.currentTimeMillisUnsafe());
          purpose = undefined;
          return undefined;
        },
      );
    };

  return Object.assign(wrap, {
    label: "breaker",
    runsNoCode: true,
    isAvailable: (tool: string, now: number) => remaining(states.get(tool), now) === 0,
  });
};
