import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { testRegistration } from "../../test/kit/test-registration.ts";
import type { Decision } from "./decide-case.ts";
import { guardPolicy } from "./guard-policy.ts";
import { createPolicyEngine, type PolicyEngine, type PolicyOptions } from "./policy.ts";

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

describe("an engine behind its guard", () => {
  it("is passed on what it is asked, and its decisions are passed back as they are", () => {
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
    "that answers with %j shows and allows nothing",
    (nonsense) => {
      const guarded = guardPolicy(
        engine({ visible: () => nonsense as never, decide: () => nonsense as never }),
      );
      const reason = expect.stringContaining("the policy gave no decision: decide must return");
      const denied = { effect: "deny", reason, ruleIds: [] };
      expect(guarded.visible(principal, read)).toEqual(denied);
      expect(guarded.decide(request)).toEqual(denied);
    },
  );

  it.each([
    [new Error("no connection"), "the policy broke: no connection"],
    ["no connection", "the policy broke: no connection"],
  ])("that throws shows and allows nothing, and the reason says what it threw", (thrown, reason) => {
    const guarded = guardPolicy(engine({ visible: throwing(thrown), decide: throwing(thrown) }));
    expect(guarded.visible(principal, read)).toMatchObject({ effect: "deny", reason });
    expect(guarded.decide(request)).toMatchObject({ effect: "deny", reason });
  });

  it.each([undefined, null])("that asks somebody who says %j allows nothing", async (nonsense) => {
    const decided = guardPolicy(engine({ decide: () => Effect.succeed(nonsense as never) })).decide(request);
    expect(await Effect.runPromise(decided as Effect.Effect<Decision>)).toMatchObject({
      effect: "deny",
      reason: expect.stringContaining("the policy gave no decision"),
    });
  });

  it("says whether it counts cost exactly where the engine does", () => {
    const counts = (options: PolicyOptions) => guardPolicy(createPolicyEngine(options)).countsCost;
    expect(counts({})).toBe(false);
    expect(counts({ rules: [{ effect: "deny", spent: { calls: 1 } }] })).toBe(false);
    expect(counts({ rules: [{ effect: "allow" }, { effect: "deny", spent: { cost: 1 } }] })).toBe(true);
    expect(guardPolicy(engine({}))).not.toHaveProperty("countsCost");
  });
});
