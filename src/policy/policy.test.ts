import { describe, expect, it } from "vitest";
import { testRegistration } from "../../test/kit/test-registration.ts";
import type { Principal } from "../types/principal.ts";
import type { Registration, ToolSpec } from "../types/tool.ts";
import type { PolicyOptions } from "./options.ts";
import { createPolicyEngine } from "./policy.ts";
import type { Rule } from "./rule.ts";

const read = testRegistration("fs/read");
const ada: Principal = { agent: "ada", user: "u1", tenant: "t1", roles: ["reader"], allow: ["*"] };

const effect = (
  options: PolicyOptions,
  principal: Principal | undefined = ada,
  registration = read,
  input: unknown = {},
  validated = true,
) => createPolicyEngine(options).decide({ principal, registration, input, validated }).effect;

const seen = (options: PolicyOptions, principal: Principal | undefined = ada, registration = read) =>
  createPolicyEngine(options).visible(principal, registration).effect;

describe("permission of the principal", () => {
  it("denies and hides everything without a principal, even when authorization is not required", () => {
    const open = createPolicyEngine({ rules: [{ effect: "allow" }], requireAuthorizationForAll: false });
    const request = { principal: undefined, registration: read, input: {}, validated: true };
    expect(open.decide(request)).toMatchObject({
      effect: "deny",
      reason: expect.stringContaining("no principal"),
    });
    expect(open.visible(undefined, read).effect).toBe("deny");
  });

  it("denies a principal without an allow list", () => {
    expect(effect({}, { agent: "ada" })).toBe("deny");
    expect(effect({}, { agent: "ada", allow: [], toolkits: [] })).toBe("deny");
    expect(effect({}, { agent: "", allow: ["*"] })).toBe("deny");
  });

  it("is the union of allow and toolkits minus deny", () => {
    const options = { toolkits: { files: ["fs/*"], web: ["net/**"] } };
    const caller: Principal = { agent: "ada", allow: ["time"], toolkits: ["files"], deny: ["fs/delete"] };
    const of = (key: string) => effect(options, caller, testRegistration(key));
    expect(["time", "fs/read", "fs/delete", "net/get"].map(of)).toEqual(["allow", "allow", "deny", "deny"]);
  });

  it("denies with a reason for an unknown toolkit", () => {
    const decision = createPolicyEngine({}).visible({ agent: "ada", toolkits: ["fiels"] }, read);
    expect(decision).toMatchObject({
      effect: "deny",
      reason: expect.stringContaining("the toolkit fiels does not exist"),
    });
  });

  it("denies everything when one pattern is invalid", () => {
    const caller: Principal = { agent: "ada", allow: ["*"], deny: ["fs/delete, fs/write"] };
    const decision = createPolicyEngine({}).visible(caller, read);
    expect(decision).toMatchObject({
      effect: "deny",
      reason: expect.stringContaining("fs/delete, fs/write"),
    });
  });

  it("applies a mutation at the next call", () => {
    const engine = createPolicyEngine({});
    const allow = ["fs/*"];
    const caller = { agent: "ada", allow };
    expect(engine.visible(caller, read).effect).toBe("allow");
    allow.pop();
    expect(engine.visible(caller, read).effect).toBe("deny");
  });
});

describe("policy rules", () => {
  it("require an allow rule in addition to the permission of the principal", () => {
    expect(effect({ rules: [{ effect: "allow", tools: ["net/*"] }] })).toBe("deny");
    expect(effect({ rules: [{ effect: "allow", tools: ["fs/*"] }] })).toBe("allow");
    expect(effect({ rules: [{ effect: "allow" }] }, { agent: "ada", allow: ["net/*"] })).toBe("deny");
  });

  it("apply deny before approve before allow in any order", () => {
    const allow: Rule = { effect: "allow" };
    const approve: Rule = { effect: "approve" };
    const deny: Rule = { effect: "deny" };
    expect(effect({ rules: [allow, approve] })).toBe("approve");
    expect(effect({ rules: [approve, { ...allow, waivesApproval: true }] })).toBe("approve");
    expect(effect({ rules: [allow, deny, approve] })).toBe("deny");
    expect(effect({ rules: [deny, approve, allow] })).toBe("deny");
  });

  it.each([
    [{ agents: ["a*"] }, "allow"],
    [{ agents: ["bob"] }, "deny"],
    [{ roles: ["writer", "reader"] }, "allow"],
    [{ roles: ["writer"] }, "deny"],
    [{ users: ["u1"] }, "allow"],
    [{ users: ["u2"] }, "deny"],
    [{ tenants: ["t1"] }, "allow"],
    [{ tenants: ["t2"] }, "deny"],
    [{ tools: ["fs/*"], toolkits: ["files"] }, "allow"],
    [{ tools: ["net/*"], toolkits: ["files"] }, "deny"],
    [{ risk: ["low", "medium"] }, "allow"],
    [{ risk: ["medium"] }, "deny"],
    [{ source: ["function"] }, "allow"],
    [{ source: ["mcp"] }, "deny"],
    [{ tags: ["safe"] }, "allow"],
    [{ tags: ["unsafe"] }, "deny"],
    [{ agents: ["ada"], roles: ["reader"], users: ["u2"] }, "deny"],
  ] satisfies [Partial<Rule>, string][])(
    "decide a call for an allow rule with %j as %s",
    (fields, expected) => {
      const options: PolicyOptions = {
        toolkits: { files: ["fs/*"] },
        rules: [{ effect: "allow", ...fields }],
      };
      expect(effect(options, ada, testRegistration("fs/read", { tags: ["safe"] }))).toBe(expected);
    },
  );

  it("do not match users for a caller without a user", () => {
    expect(effect({ rules: [{ effect: "allow", users: ["u1"] }] }, { agent: "ada", allow: ["*"] })).toBe(
      "deny",
    );
  });

  it("are named in the decision by id or position", () => {
    const engine = createPolicyEngine({
      rules: [{ effect: "allow" }, { id: "no-files", effect: "deny", tools: ["fs/*"], reason: "audit" }],
    });
    const ask = (registration: Registration) =>
      engine.decide({ principal: ada, registration, input: {}, validated: true });
    expect(ask(read)).toEqual({
      effect: "deny",
      ruleIds: ["no-files"],
      reason: "denied by no-files (audit)",
    });
    expect(ask(testRegistration("time"))).toEqual({
      effect: "allow",
      ruleIds: ["rules[0]"],
      reason: "allowed by rules[0]",
    });
  });

  it("distinguish tools of the same kind under different rules, whatever the rule ids", () => {
    const rules: Rule[] = [
      { id: "a", effect: "allow", tools: ["open"] },
      { id: "b", effect: "allow", tools: ["open"] },
      { id: "a\nb", effect: "deny", tools: ["shut"] },
    ];
    const engine = createPolicyEngine({ rules });
    expect(engine.visible(ada, testRegistration("open")).effect).toBe("allow");
    expect(engine.visible(ada, testRegistration("shut")).effect).toBe("deny");
  });
});

describe("required approval", () => {
  const waive: PolicyOptions = { rules: [{ effect: "allow", waivesApproval: true }] };
  const allow: PolicyOptions = { rules: [{ effect: "allow" }] };

  it.each(["high", "critical"] as const)("applies to %s risk unless a rule waives it", (risk) => {
    const risky = testRegistration("fs/wipe", { risk });
    expect(effect({}, ada, risky)).toBe("approve");
    expect(effect(allow, ada, risky)).toBe("approve");
    expect(effect(waive, ada, risky)).toBe("allow");
    expect(effect({ blockHighRiskWithoutApproval: false }, ada, risky)).toBe("allow");
    expect(seen(allow, ada, risky)).toBe("approve");
  });

  it("does not apply to low and medium risk", () => {
    expect(effect({}, ada, testRegistration("a", { risk: "low" }))).toBe("allow");
    expect(effect({}, ada, testRegistration("a", { risk: "medium" }))).toBe("allow");
  });

  it("applies to a tool with requiresApproval unless a rule waives it", () => {
    const asking = testRegistration("fs/wipe", { requiresApproval: true });
    expect(effect({ blockHighRiskWithoutApproval: false }, ada, asking)).toBe("approve");
    expect(effect(waive, ada, asking)).toBe("allow");
  });

  it("is waived only when the rule matches", () => {
    const small = { properties: { amount: { type: "number", maximum: 10 } } };
    const rules: readonly Rule[] = [
      { effect: "allow" },
      { effect: "allow", waivesApproval: true, when: small },
    ];
    const pay = testRegistration("pay", { risk: "high" });
    expect(effect({ rules }, ada, pay, { amount: 5 })).toBe("allow");
    expect(effect({ rules }, ada, pay, { amount: 50 })).toBe("approve");
    expect(seen({ rules }, ada, pay)).toBe("allow");
  });

  it("applies to a tool without a schema unless it is read-only or in full mode with a waiver", () => {
    const bare = (noSchemaMode: ToolSpec["noSchemaMode"], readOnly: boolean) =>
      testRegistration("raw", { ...(noSchemaMode && { noSchemaMode }), annotations: { readOnly } });
    expect(effect({}, ada, bare("full", false), {}, false)).toBe("approve");
    expect(effect(waive, ada, bare("full", false), {}, false)).toBe("allow");
    expect(effect({}, ada, bare("read-only", true), {}, false)).toBe("allow");
    expect(effect(waive, ada, bare("read-only", false), {}, false)).toBe("approve");
    expect(effect(waive, ada, bare("human-approval", true), {}, false)).toBe("approve");
  });
});

describe("requireAuthorizationForAll: false", () => {
  const lax: PolicyOptions = { requireAuthorizationForAll: false };
  const clock = testRegistration("clock", { annotations: { readOnly: true } });
  const guest: Principal = { agent: "guest" };

  it("allows only read-only low-risk tools without permission", () => {
    expect(effect(lax, guest, clock)).toBe("allow");
    expect(effect(lax, guest, testRegistration("write"))).toBe("deny");
    expect(
      effect(lax, guest, testRegistration("scan", { risk: "medium", annotations: { readOnly: true } })),
    ).toBe("deny");
  });

  it("still applies every deny", () => {
    expect(effect(lax, { ...guest, deny: ["clock"] }, clock)).toBe("deny");
    expect(effect({ ...lax, rules: [{ effect: "deny", tools: ["clock"] }] }, guest, clock)).toBe("deny");
    expect(effect({ ...lax, rules: [{ effect: "allow", tools: ["x"] }] }, guest, clock)).toBe("allow");
  });
});

describe("visible", () => {
  it("hides a tool that is denied for any arguments", () => {
    expect(seen({ rules: [{ effect: "allow" }, { effect: "deny", tools: ["fs/*"] }] })).toBe("deny");
    expect(seen({ rules: [{ effect: "allow", agents: ["bob"] }] })).toBe("deny");
    expect(seen({ rules: [{ effect: "approve" }] })).toBe("approve");
  });
});
