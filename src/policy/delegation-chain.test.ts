import { describe, expect, it } from "vitest";
import { testRegistration } from "../../test/kit/test-registration.ts";
import type { Principal } from "../types/principal.ts";
import { narrow, type PolicyOptions } from "./options.ts";
import { createPolicyEngine } from "./policy.ts";

const read = testRegistration("fs/read");
const ada: Principal = {
  agent: "ada",
  user: "u1",
  tenant: "t1",
  session: "s1",
  roles: ["reader"],
  allow: ["fs/*"],
};

const decide = (principal: Principal, options: PolicyOptions = {}, registration = read) =>
  createPolicyEngine(options).decide({ principal, registration, input: {}, validated: true });

describe("delegated principal", () => {
  it("is allowed only what both principals are allowed", () => {
    const helper: Principal = { agent: "helper", allow: ["*"], within: ada };
    expect(decide(helper).effect).toBe("allow");
    expect(decide(helper, {}, testRegistration("net/get"))).toMatchObject({
      effect: "deny",
      reason: 'neither the allow list nor a toolkit of "ada" covers net/get',
    });
    expect(decide({ ...helper, allow: ["net/*"] }).effect).toBe("deny");
  });

  it("gets the most restrictive decision with the rules that made it", () => {
    const helper: Principal = { agent: "helper", allow: ["*"], within: ada };
    const rules: PolicyOptions["rules"] = [
      { id: "all", effect: "allow", agents: ["ada"] },
      { id: "helpers", effect: "allow", agents: ["helper"], waivesApproval: true },
    ];
    const wipe = testRegistration("fs/wipe", { risk: "high" });
    expect(decide(helper, { rules }, wipe)).toMatchObject({ effect: "approve", ruleIds: ["all"] });
    expect(decide(helper, { rules })).toMatchObject({ effect: "allow", ruleIds: ["helpers", "all"] });
    const stricter = [...rules, { id: "no", effect: "deny", agents: ["ada"] } as const];
    expect(decide(helper, { rules: stricter })).toMatchObject({ effect: "deny", ruleIds: ["no"] });
  });

  it("is decided again for each call", () => {
    const engine = createPolicyEngine({
      rules: [
        { effect: "allow", agents: ["helper"] },
        { effect: "allow", agents: ["ada"], when: { properties: { n: { maximum: 3 } } } },
      ],
    });
    const helper: Principal = { agent: "helper", allow: ["*"], within: ada };
    const ask = (n: number) =>
      engine.decide({ principal: helper, registration: read, input: { n }, validated: true }).effect;
    expect([1, 2, 9, 9, 3].map(ask)).toEqual(["allow", "allow", "deny", "deny", "allow"]);
  });

  it("loses what its delegator loses, and a replaced delegator takes effect", () => {
    const engine = createPolicyEngine({});
    const allow = ["fs/*"];
    const lender = { agent: "ada", allow };
    const helper: { agent: string; allow: string[]; within: Principal } = {
      agent: "helper",
      allow: ["*"],
      within: lender,
    };
    const delegated = narrow(lender);
    expect(engine.visible(helper, read).effect).toBe("allow");
    expect(engine.visible(delegated, read).effect).toBe("allow");
    helper.within = { agent: "nobody" };
    expect(engine.visible(helper, read).effect).toBe("deny");
    allow.pop();
    expect(engine.visible(delegated, read).effect).toBe("deny");
  });

  it("may have fifteen delegators but no more and no cycle", () => {
    const deep = (links: number): Principal =>
      Array.from({ length: links - 1 }).reduce<Principal>((lender) => narrow(lender), ada);
    expect(decide(deep(16)).effect).toBe("allow");
    expect(decide(deep(17))).toMatchObject({
      effect: "deny",
      reason: expect.stringContaining("longer than 15"),
    });
    const circle: { agent: string; allow: string[]; within?: Principal } = { agent: "ada", allow: ["*"] };
    circle.within = { agent: "bob", allow: ["*"], within: circle };
    expect(decide(circle).effect).toBe("deny");
    expect(createPolicyEngine({}).visible(circle, read).effect).toBe("deny");
  });

  it.each([null, "ada", 7])("is denied everything when its delegator is %j", (within) => {
    expect(decide({ ...ada, within: within as unknown as Principal }).effect).toBe("deny");
    expect(
      createPolicyEngine({}).visible({ ...ada, within: within as unknown as Principal }, read).effect,
    ).toBe("deny");
  });
});

describe("narrow", () => {
  it("keeps the identity of the caller, delegates everything by default and returns a frozen value", () => {
    const delegated = narrow(ada);
    expect(delegated).toEqual({ ...ada, allow: ["*"], within: ada });
    expect(
      Object.isFrozen(delegated) && Object.isFrozen(delegated.allow) && Object.isFrozen(delegated.roles),
    ).toBe(true);
    expect(narrow(ada, { agent: "helper", toolkits: [] })).toMatchObject({
      agent: "helper",
      user: "u1",
      toolkits: [],
    });
    expect(narrow(ada, { toolkits: [] })).not.toHaveProperty("allow");
  });

  it("restricts, and a later delegation cannot restore access", () => {
    const only = narrow(ada, { allow: ["fs/read"] });
    const again = narrow(only, { allow: ["*"], deny: ["fs/list"] });
    const of = (key: string) => decide(again, {}, testRegistration(key)).effect;
    expect(["fs/read", "fs/list", "fs/write", "net/get"].map(of)).toEqual(["allow", "deny", "deny", "deny"]);
  });

  it("rejects a misspelled field", () => {
    expect(() => narrow(ada, { alow: ["fs/read"] } as never)).toThrow("`alow`");
  });
});
