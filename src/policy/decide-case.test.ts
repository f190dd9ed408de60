import { expect, it } from "vitest";
import { testRegistration } from "../../test/kit/test-registration.ts";
import type { PolicyOptions } from "./options.ts";
import { createPolicyEngine } from "./policy.ts";
import type { Rule } from "./rule.ts";

const read = testRegistration("fs/read");
const principal = { agent: "ada", allow: ["*"] };

const asked = (options: PolicyOptions) => {
  const engine = createPolicyEngine(options);
  return (input: unknown) => engine.decide({ principal, registration: read, input, validated: true });
};

/** Returns a rule that matches arguments with the field. */
const onField = (field: string, rule: Partial<Rule> = {}): Rule => ({
  id: field,
  effect: "allow",
  when: { required: [field] },
  ...rule,
});

it("each call is decided by the matching rules among sixty, whatever matched before", () => {
  const names = Array.from({ length: 60 }, (_, index) => `f${index}`);
  const decide = asked({ rules: names.map((name) => onField(name)) });
  for (const met of [["f59"], ["f59", "f0"], ["f0"], ["f1", "f54"], ["f54"], ["f54", "f0"], ["f59"]]) {
    const { effect, ruleIds } = decide(Object.fromEntries(met.map((name) => [name, 1])));
    expect({ effect, ruleIds }).toEqual({
      effect: "allow",
      ruleIds: names.filter((name) => met.includes(name)),
    });
  }
});

it("each set of matching rules is decided separately after hundreds of different sets", () => {
  const names = Array.from({ length: 10 }, (_, index) => `f${index}`);
  const decide = asked({ rules: names.map((name) => onField(name)) });
  const sets = Array.from({ length: 700 }, (_, bits) => names.filter((_, index) => (bits >> index) & 1));
  for (const met of [...sets, ...sets.slice(0, 30)]) {
    expect(decide(Object.fromEntries(met.map((name) => [name, 1]))).ruleIds).toEqual(met);
  }
});

it("a call that matches the same rules gets the cached decision", () => {
  const decide = asked({ rules: [onField("a"), onField("b")] });
  expect(decide({ a: 1 })).toBe(decide({ a: 2 }));
  expect(decide({ a: 1 })).not.toBe(decide({ b: 1 }));
});

it("a decision without a matching rule names none and gives the principal or the missing rule as reason", () => {
  expect(
    createPolicyEngine({}).decide({ principal, registration: read, input: {}, validated: true }),
  ).toEqual({
    effect: "allow",
    ruleIds: [],
    reason: "the principal's rights allow it",
  });
  expect(asked({ rules: [onField("a")] })({})).toEqual({
    effect: "deny",
    ruleIds: [],
    reason: "no rule allows it",
  });
});

it("an allow rule is named with its reason and does not waive required approval", () => {
  const risky = testRegistration("fs/wipe", { risk: "critical" });
  const engine = createPolicyEngine({ rules: [{ id: "ours", effect: "allow", reason: "they are ours" }] });
  const of = (registration = read) => engine.decide({ principal, registration, input: {}, validated: true });
  expect(of()).toMatchObject({
    effect: "allow",
    ruleIds: ["ours"],
    reason: "allowed by ours (they are ours)",
  });
  expect(of(risky)).toMatchObject({
    effect: "approve",
    ruleIds: ["ours"],
    reason: "critical-risk tool; no rule skips approval",
  });
});
