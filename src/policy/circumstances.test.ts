import { describe, expect, it } from "vitest";
import { testRegistration } from "../../test/kit/test-registration.ts";
import type { RunCounters } from "../types/call.ts";
import type { Principal } from "../types/principal.ts";
import type { PolicyRequest } from "./engine.ts";
import { createPolicyEngine } from "./policy.ts";
import type { Rule } from "./rule.ts";

const ada: Principal = { agent: "ada", allow: ["*"] };
const read = testRegistration("fs/read", { annotations: { readOnly: true } });
const run = (tally: Partial<RunCounters>): RunCounters => ({ calls: 0, cost: 0, taints: [], ...tally });

const effect = (rules: readonly Rule[], of: Partial<PolicyRequest> = {}) =>
  createPolicyEngine({ rules }).decide({
    principal: ada,
    registration: read,
    input: {},
    validated: true,
    ...of,
  }).effect;

const seen = (rules: readonly Rule[]) => createPolicyEngine({ rules }).visible(ada, read).effect;

describe("rule annotations", () => {
  const covers = (wanted: Rule["annotations"], given: Rule["annotations"]) =>
    effect([{ effect: "allow", ...(wanted && { annotations: wanted }) }], {
      registration: testRegistration("fs/read", { annotations: given ?? {} }),
    }) === "allow";

  it("must all match, and a missing annotation of the tool counts as false", () => {
    expect(covers({ readOnly: true }, { readOnly: true })).toBe(true);
    expect(covers({ readOnly: true }, {})).toBe(false);
    expect(covers({ destructive: false }, {})).toBe(true);
    expect(covers({ readOnly: true, openWorld: false }, { readOnly: true, openWorld: true })).toBe(false);
    expect(covers({ readOnly: true, openWorld: false }, { readOnly: true, idempotent: true })).toBe(true);
  });

  it("apply when tools are offered", () => {
    expect(seen([{ effect: "allow" }, { effect: "deny", annotations: { readOnly: true } }])).toBe("deny");
  });
});

describe("rule condition", () => {
  it("tainted matches runs with or without untrusted content", () => {
    const only = (tainted: boolean): readonly Rule[] => [{ effect: "allow" }, { effect: "deny", tainted }];
    const dirty = { tally: run({ taints: ["web/fetch"] }) };
    expect([effect(only(true)), effect(only(true), dirty)]).toEqual(["allow", "deny"]);
    expect([effect(only(false)), effect(only(false), dirty)]).toEqual(["deny", "allow"]);
  });

  it("repaired matches repaired or unrepaired arguments", () => {
    const only = (repaired: boolean): readonly Rule[] => [{ effect: "allow" }, { effect: "deny", repaired }];
    expect([effect(only(true)), effect(only(true), { repaired: true })]).toEqual(["allow", "deny"]);
    expect([effect(only(false)), effect(only(false), { repaired: true })]).toEqual(["deny", "allow"]);
  });

  it("spent matches when the run has reached every amount", () => {
    const budget: readonly Rule[] = [{ effect: "allow" }, { effect: "deny", spent: { calls: 5 } }];
    expect(effect(budget)).toBe("allow");
    expect(effect(budget, { tally: run({ calls: 4 }) })).toBe("allow");
    expect(effect(budget, { tally: run({ calls: 5 }) })).toBe("deny");
    const both: readonly Rule[] = [
      { effect: "allow" },
      { effect: "approve", spent: { calls: 1, cost: 2.5 } },
    ];
    expect(effect(both, { tally: run({ calls: 9, cost: 2 }) })).toBe("allow");
    expect(effect(both, { tally: run({ calls: 9, cost: 2.5 }) })).toBe("approve");
  });

  it("spent denies when the cost is not a number", () => {
    const rules: readonly Rule[] = [{ effect: "allow" }, { id: "b", effect: "allow", spent: { cost: 1 } }];
    expect(effect(rules, { tally: run({ cost: Number.NaN }) })).toBe("deny");
  });

  it("is unknown when tools are offered, so the better decision is shown", () => {
    for (const condition of [{ tainted: true }, { repaired: false }, { spent: { calls: 0 } }]) {
      expect(seen([{ effect: "allow" }, { effect: "deny", ...condition }])).toBe("allow");
      expect(seen([{ effect: "allow", ...condition }])).toBe("allow");
      expect(seen([{ effect: "approve", ...condition }])).toBe("approve");
    }
  });

  it("applies to unvalidated arguments, and only `when` does not", () => {
    const unvalidated = { validated: false, tally: run({ taints: ["web/fetch"] }) };
    expect(effect([{ effect: "allow", tainted: true }], unvalidated)).toBe("allow");
    expect(effect([{ effect: "allow" }, { effect: "deny", tainted: false }], unvalidated)).toBe("allow");
    const fits: Rule = { effect: "deny", tainted: false, when: { type: "object" } };
    expect(effect([{ effect: "allow" }, fits], unvalidated)).toBe("allow");
    expect(effect([{ effect: "allow" }, { ...fits, tainted: true }], unvalidated)).toBe("deny");
  });
});

describe("rejects a rule with invalid fields", () => {
  it.each([
    [{ annotations: { readonly: true } }, "rules[0].annotations.readonly is not a field of `annotations`"],
    [{ annotations: { readOnly: "yes" } }, "rules[0].annotations.readOnly must be true or false"],
    [{ annotations: {} }, "rules[0].annotations must be an object with at least one of readOnly"],
    [{ tainted: "yes" }, "rules[0].tainted must be true or false"],
    [{ repaired: 1 }, "rules[0].repaired must be true or false"],
    [{ spent: 5 }, "rules[0].spent must be an object with at least one of calls, cost"],
    [{ spent: { call: 5 } }, "rules[0].spent.call is not a field of `spent`; the fields are calls, cost"],
    [{ spent: { calls: -1 } }, "rules[0].spent.calls must be a number of at least 0"],
    [{ spent: { cost: Number.POSITIVE_INFINITY } }, "rules[0].spent.cost must be a number of at least 0"],
  ])("%j", (fields, message) => {
    expect(() => createPolicyEngine({ rules: [{ effect: "deny", ...fields } as unknown as Rule] })).toThrow(
      message,
    );
  });
});
