import * as Clock from "effect/Clock";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import { checkFields } from "../json/check-fields.ts";
import type { CallRequest } from "../words/call.ts";
import type { Handler, ToolLayer } from "../words/layer.ts";
import type { Outcome } from "../words/outcome.ts";
import { circuitOpen, judge } from "./circuit.ts";
import { fleetBreaker } from "./fleet-breaker.ts";
import { readCount, readMillis, readScope } from "./read-option.ts";

/** When the `breaker` layer keeps calls away from a tool that fails, and for how long. */
export interface BreakerOptions {
  /** In a row, per tool. */
  readonly failures?: number;
  /** How long calls are kept away before one is let through to see. */
  readonly cooldown?: Duration.Input;
  /** `fleet` keeps the calls of all processes away once one of them has learned it. This process alone unless named. */
  readonly scope?: "process" | "fleet";
  /** Of a breaker across a fleet: the same name is the same breaker. */
  readonly name?: string;
}

/** Kept only for tools whose last answer was a failure. */
interface FailureCount {
  failures: number;
  openedAt: number | undefined;
  /** One call is on its way to find out whether the tool is well again. */
  testing: boolean;
}

/** What a call that was let through is there for. */
type CallPurpose = "work" | "test";

/** Keeps calls away from a tool that only fails, and takes it out of the offer meanwhile. */
export const breaker = (options: BreakerOptions = {}): ToolLayer => {
  checkFields("breaker", options, ["failures", "cooldown", "scope", "name"]);
  const name = readScope("breaker", options);
  const allowed = readCount("breaker failures", options.failures ?? 5, 1);
  const cooldown = readMillis("breaker cooldown", options.cooldown ?? "30 seconds");
  if (name !== undefined) return fleetBreaker({ name, allowed, cooldown });
  const troubles = new Map<string, FailureCount>();
  const inside = new Set<CallRequest>();

  /** A wall clock that was set back must not keep a tool away: that counts as cooled down. */
  const remaining = (trouble: FailureCount | undefined, now: number): number => {
    if (trouble?.openedAt === undefined) return 0;
    const elapsed = now - trouble.openedAt;
    return elapsed < 0 ? 0 : Math.max(0, cooldown - elapsed);
  };

  const admit = (key: string, now: number): CallPurpose | FailureCount => {
    const trouble = troubles.get(key);
    if (trouble?.openedAt === undefined) return "work";
    if (trouble.testing || remaining(trouble, now) > 0) return trouble;
    trouble.testing = true;
    return "test";
  };

  const record = (key: string, purpose: CallPurpose, exit: Exit.Exit<Outcome>, now: number): void => {
    const trouble = troubles.get(key) ?? { failures: 0, openedAt: undefined, testing: false };
    if (purpose === "test") trouble.testing = false;
    // Work that was on its way when the breaker opened says nothing about the tool after its rest.
    else if (trouble.openedAt !== undefined) return;
    const verdict = judge(exit);
    if (verdict === "well") troubles.delete(key);
    if (verdict !== "unwell") return;
    trouble.failures++;
    if (trouble.failures >= allowed) trouble.openedAt = now;
    troubles.set(key, trouble);
  };

  const wrap =
    (next: Handler): Handler =>
    (call) => {
      const { request, registration } = call;
      let purpose: CallPurpose | undefined;
      let clock: Clock.Clock | undefined;
      // The way out is laid before the way in, so that a test that is cancelled is always given back.
      return Effect.onExitPrimitive(
        Effect.withFiber((fiber) => {
          // The same value at two scopes counts a call once.
          if (inside.has(request)) return next(call);
          clock = fiber.getRef(Clock.Clock);
          const now = clock.currentTimeMillisUnsafe();
          const admitted = admit(registration.key, now);
          if (typeof admitted === "object") {
            return Effect.succeed(circuitOpen(call, admitted.failures, remaining(admitted, now)));
          }
          purpose = admitted;
          inside.add(request);
          return next(call);
        }),
        (exit) => {
          if (purpose === undefined || clock === undefined) return undefined;
          inside.delete(request);
          record(registration.key, purpose, exit, clock.currentTimeMillisUnsafe());
          purpose = undefined;
          return undefined;
        },
      );
    };

  return Object.assign(wrap, {
    label: "breaker",
    runsNoCode: true,
    isAvailable: (tool: string, now: number) => remaining(troubles.get(tool), now) === 0,
  });
};
