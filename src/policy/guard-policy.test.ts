import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { testRegistration } from "../../test/kit/test-registration.ts";
import type { Decision } from "./decide-case.ts";
import type { PolicyEngine } from "./engine.ts";
import { guardPolicy } from "./guard-policy.ts";
import type { PolicyOptions } from "./options.ts";
import { createPolicyEngine } from "./policy.ts";

const read = testRegistration("fs/read");
const principal = { agent: "ada", allow: ["*"] };
const request = { principal, registration: read, input: {}, validated: true };
const allow: Decision = { effect: "allow", ruleIds: [], reason: "why not" };

const engine = (of: Partial<PolicyEngine>): PolicyEngine => ({
  visible: () => allow,
  decide: () => allow,
  ...of,
});
const throwing = (what: unknown) => () => {
  throw what;
};

describe("guardPolicy", () => {
  it("forwards requests and returns decisions unchanged", () => {
    const asked: unknown[] = [];
    const guarded = guardPolicy(
      engine({
        visible: (...given) => {
          asked.push(given);
          return allow;
        },
        decide: (given) => {
          asked.push(given);
          return allow;
        },
      }),
    );
    expect(guarded.visible(principal, read)).toBe(allow);
    expect(guarded.decide(request)).toBe(allow);
    expect(asked).toEqual([[principal, read], request]);
  });

  it.each([undefined, null, "allow", {}, { effect: "maybe" }])(
    "denies when the engine returns %j",
    (nonsense) => {
      const guarded = guardPolicy(
        engine({ visible: () => nonsense as never, decide: () => nonsense as never }),
      );
      const reason = expect.stringContaining("the policy returned no decision: decide must return");
      const denied = { effect: "deny", reason, ruleIds: [] };
      expect(guarded.visible(principal, read)).toEqual(denied);
      expect(guarded.decide(request)).toEqual(denied);
    },
  );

  it.each([
    [new Error("no connection"), "the policy failed: no connection"],
    ["no connection", "the policy failed: no connection"],
  ])("denies with the error message when the engine throws", (thrown, reason) => {
    const guarded = guardPolicy(engine({ visible: throwing(thrown), decide: throwing(thrown) }));
    expect(guarded.visible(principal, read)).toMatchObject({ effect: "deny", reason });
    expect(guarded.decide(request)).toMatchObject({ effect: "deny", reason });
  });

  it.each([undefined, null])("denies when an asynchronous decision is %j", async (nonsense) => {
    const decided = guardPolicy(engine({ decide: () => Effect.succeed(nonsense as never) })).decide(request);
    expect(await Effect.runPromise(decided as Effect.Effect<Decision>)).toMatchObject({
      effect: "deny",
      reason: expect.stringContaining("the policy returned no decision"),
    });
  });

  it("reports countsCost like the engine", () => {
    const counts = (options: PolicyOptions) => guardPolicy(createPolicyEngine(options)).countsCost;
    expect(counts({})).toBe(false);
    expect(counts({ rules: [{ effect: "deny", spent: { calls: 1 } }] })).toBe(false);
    expect(counts({ rules: [{ effect: "allow" }, { effect: "deny", spent: { cost: 1 } }] })).toBe(true);
    expect(guardPolicy(engine({}))).not.toHaveProperty("countsCost");
  });
});
