import { describe, expect, it } from "vitest";
import { testRegistration } from "../../test/kit/test-registration.ts";
import type { Principal } from "../types/principal.ts";
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

const etc: Rule["when"] = {
  type: "object",
  required: ["path"],
  properties: { path: { type: "string", pattern: "^/etc" } },
};

describe("conditions on arguments", () => {
  const rules: readonly Rule[] = [{ effect: "allow" }, { id: "etc", effect: "deny", when: etc }];

  it("a conditional deny rule denies only matching arguments", () => {
    expect(effect({ rules }, ada, read, { path: "/etc/passwd" })).toBe("deny");
    expect(effect({ rules }, ada, read, { path: "/tmp/x" })).toBe("allow");
    expect(seen({ rules })).toBe("allow");
  });

  it("a conditional allow rule allows only matching arguments", () => {
    const only: PolicyOptions = { rules: [{ effect: "allow", when: { not: etc } }] };
    expect(effect(only, ada, read, { path: "/etc/passwd" })).toBe("deny");
    expect(effect(only, ada, read, { path: "/tmp/x" })).toBe("allow");
    expect(seen(only)).toBe("allow");
  });

  it("a conditional approve rule requires approval only for matching arguments", () => {
    const ask: PolicyOptions = { rules: [{ effect: "allow" }, { effect: "approve", when: etc }] };
    expect(effect(ask, ada, read, { path: "/etc/passwd" })).toBe("approve");
    expect(effect(ask, ada, read, { path: "/tmp/x" })).toBe("allow");
    expect(seen(ask)).toBe("allow");
  });

  it("unvalidated arguments match every restriction and no permission", () => {
    expect(effect({ rules }, ada, read, { path: ["/tmp"] }, false)).toBe("deny");
    const only: PolicyOptions = { rules: [{ effect: "allow", when: { type: "object" } }] };
    expect(effect(only, ada, read, {}, false)).toBe("deny");
    const ask: PolicyOptions = { rules: [{ effect: "allow" }, { effect: "approve", when: etc }] };
    expect(effect(ask, ada, read, {}, false)).toBe("approve");
    expect(effect({ rules: [{ effect: "allow" }] }, ada, read, {}, false)).toBe("allow");
  });

  it("a condition that throws denies, even in an allow rule", () => {
    const trap = new Proxy(
      {},
      {
        get: () => {
          throw new Error("no peeking");
        },
        has: () => {
          throw new Error("no peeking");
        },
        getOwnPropertyDescriptor: () => {
          throw new Error("no peeking");
        },
        ownKeys: () => {
          throw new Error("no peeking");
        },
      },
    );
    for (const effectOfRule of ["allow", "deny", "approve"] as const) {
      const engine = createPolicyEngine({
        rules: [{ effect: "allow" }, { id: "odd", effect: effectOfRule, when: etc }],
      });
      const decision = engine.decide({ principal: ada, registration: read, input: trap, validated: true });
      expect(decision).toMatchObject({ effect: "deny", ruleIds: ["odd"] });
      expect(decision.reason).toContain("failed");
    }
  });

  it("arguments that are too deep to evaluate are denied", () => {
    let deep: unknown = [];
    for (let level = 0; level < 50_000; level++) deep = [deep];
    const when = { type: "array", items: { $ref: "#" } };
    const engine = createPolicyEngine({ rules: [{ effect: "allow" }, { id: "wide", effect: "deny", when }] });
    const decision = engine.decide({ principal: ada, registration: read, input: deep, validated: true });
    expect(decision).toMatchObject({ effect: "deny", reason: expect.stringContaining("wide failed") });
  });

  it("a condition with a default does not fail on frozen arguments or change any", () => {
    const when = { type: "object", properties: { path: { type: "string", default: "/etc" } } };
    const input = Object.freeze({});
    expect(effect({ rules: [{ effect: "allow", when }] }, ada, read, input)).toBe("allow");
    const open = {};
    expect(effect({ rules: [{ effect: "allow", when }] }, ada, read, open)).toBe("allow");
    expect(open).toEqual({});
  });
});
