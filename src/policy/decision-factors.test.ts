import { describe, expect, it } from "vitest";
import { testRegistration } from "../../test/kit/test-registration.ts";
import type { Principal } from "../types/principal.ts";
import { narrow } from "./narrow.ts";
import { narrowEngine } from "./narrow-engine.ts";
import { createPolicyEngine, type PolicyOptions } from "./policy.ts";
import type { Rule } from "./rule.ts";

const ada: Principal = { agent: "ada", allow: ["*", "**"] };
const pay = testRegistration("pay");
const mail = testRegistration("mail", { tags: ["sink"] });
const large = { properties: { amount: { minimum: 1_000 } }, required: ["amount"] };
const everybody: Rule = { id: "everybody", effect: "allow" };

const told = (rules: readonly Rule[], registration = pay, principal = ada, more: PolicyOptions = {}) =>
  createPolicyEngine({ rules, ...more }).depends!(principal, registration);

describe("what a right depends on", () => {
  it("is arguments where a rule that looks at them can turn the decision", () => {
    expect(told([everybody, { effect: "deny", when: large }])).toEqual(["arguments"]);
    expect(told([everybody, { effect: "approve", when: large }])).toEqual(["arguments"]);
    expect(told([{ effect: "allow", when: large }])).toEqual(["arguments"]);
    expect(told([everybody, { effect: "deny", tainted: true, spent: { calls: 3 } }])).toEqual([
      "untrusted-words",
      "spending",
    ]);
  });

  it("is nothing where a rule with conditions changes nothing, or is about others", () => {
    expect(told([everybody])).toEqual([]);
    expect(told([everybody, { effect: "allow", when: large }])).toEqual([]);
    expect(told([everybody, { effect: "approve" }, { effect: "approve", when: large }])).toEqual([]);
    expect(told([everybody, { effect: "deny", when: large, agents: ["bob"] }])).toEqual([]);
    expect(told([everybody, { effect: "deny", when: large, tools: ["mail"] }])).toEqual([]);
    expect(told([{ effect: "deny" }, { effect: "deny", when: large }])).toEqual([]);
    expect(told([everybody, { effect: "deny", when: large }], pay, { agent: "ada", allow: [] })).toEqual([]);
  });

  it("is untrusted words where the tool carries data out, unless a rule waives it or the setting is off", () => {
    expect(told([everybody], mail)).toEqual(["untrusted-words"]);
    expect(told([{ effect: "allow", waivesApproval: true }], mail)).toEqual([]);
    expect(told([everybody], mail, ada, { approveTaintedSinks: false })).toEqual([]);
    expect(told([everybody, { effect: "allow", waivesApproval: true, when: large }], mail)).toEqual([
      "untrusted-words",
      "arguments",
    ]);
    expect(told([everybody, { effect: "approve" }], mail)).toEqual([]);
  });

  it("is what any of those can change who lent the right", () => {
    const helper = narrow(ada, { agent: "helper" });
    expect(told([everybody, { effect: "deny", when: large, agents: ["ada"] }], pay, helper)).toEqual([
      "arguments",
    ]);
  });

  it("is not known of an engine of somebody else that does not say", () => {
    const allow = { effect: "allow", ruleIds: [], reason: "" } as const;
    const silent = { visible: () => allow, decide: () => allow };
    const own = createPolicyEngine();
    expect(narrowEngine(own, silent).depends!(ada, mail)).toBeUndefined();
    const speaking = { ...silent, depends: () => ["arguments"] as const };
    expect(narrowEngine(own, speaking).depends!(ada, mail)).toEqual(["untrusted-words", "arguments"]);
  });
});
