import { describe, expect, it } from "vitest";
import { testRegistration } from "../../test/kit/test-registration.ts";
import type { Principal } from "../types/principal.ts";
import { narrowEngine } from "./narrow-engine.ts";
import { narrow, type PolicyOptions } from "./options.ts";
import { createPolicyEngine } from "./policy.ts";
import type { Rule } from "./rule.ts";

const ada: Principal = { agent: "ada", allow: ["*", "**"] };
const pay = testRegistration("pay");
const mail = testRegistration("mail", { tags: ["sink"] });
const large = { properties: { amount: { minimum: 1_000 } }, required: ["amount"] };
const everybody: Rule = { id: "everybody", effect: "allow" };

const reported = (rules: readonly Rule[], registration = pay, principal = ada, more: PolicyOptions = {}) =>
  createPolicyEngine({ rules, ...more }).depends!(principal, registration);

describe("decision factors", () => {
  it("include arguments and the run when a rule on them can change the decision", () => {
    expect(reported([everybody, { effect: "deny", when: large }])).toEqual(["arguments"]);
    expect(reported([everybody, { effect: "approve", when: large }])).toEqual(["arguments"]);
    expect(reported([{ effect: "allow", when: large }])).toEqual(["arguments"]);
    expect(reported([everybody, { effect: "deny", tainted: true, spent: { calls: 3 } }])).toEqual([
      "untrusted-content",
      "spending",
    ]);
  });

  it("are empty when conditional rules cannot change the decision or concern others", () => {
    expect(reported([everybody])).toEqual([]);
    expect(reported([everybody, { effect: "allow", when: large }])).toEqual([]);
    expect(reported([everybody, { effect: "approve" }, { effect: "approve", when: large }])).toEqual([]);
    expect(reported([everybody, { effect: "deny", when: large, agents: ["bob"] }])).toEqual([]);
    expect(reported([everybody, { effect: "deny", when: large, tools: ["mail"] }])).toEqual([]);
    expect(reported([{ effect: "deny" }, { effect: "deny", when: large }])).toEqual([]);
    expect(reported([everybody, { effect: "deny", when: large }], pay, { agent: "ada", allow: [] })).toEqual(
      [],
    );
  });

  it("include untrusted content for a sink unless approval is waived or the setting is off", () => {
    expect(reported([everybody], mail)).toEqual(["untrusted-content"]);
    expect(reported([{ effect: "allow", waivesApproval: true }], mail)).toEqual([]);
    expect(reported([everybody], mail, ada, { approveTaintedSinks: false })).toEqual([]);
    expect(reported([everybody, { effect: "allow", waivesApproval: true, when: large }], mail)).toEqual([
      "untrusted-content",
      "arguments",
    ]);
    expect(reported([everybody, { effect: "approve" }], mail)).toEqual([]);
  });

  it("include the factors of a delegator", () => {
    const helper = narrow(ada, { agent: "helper" });
    expect(reported([everybody, { effect: "deny", when: large, agents: ["ada"] }], pay, helper)).toEqual([
      "arguments",
    ]);
  });

  it("are unknown for a custom engine that does not report them", () => {
    const allow = { effect: "allow", ruleIds: [], reason: "" } as const;
    const silent = { visible: () => allow, decide: () => allow };
    const own = createPolicyEngine();
    expect(narrowEngine(own, silent).depends!(ada, mail)).toBeUndefined();
    const speaking = { ...silent, depends: () => ["arguments"] as const };
    expect(narrowEngine(own, speaking).depends!(ada, mail)).toEqual(["untrusted-content", "arguments"]);
  });
});
