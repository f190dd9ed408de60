import { describe, expect, it } from "vitest";
import { testRegistration } from "../../test/kit/test-registration.ts";
import type { Principal } from "../types/principal.ts";
import { narrow } from "./narrow.ts";
import { createPolicyEngine, type PolicyOptions } from "./policy.ts";

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

describe("a principal within another", () => {
  it("is allowed only what both are allowed", () => {
    const helper: Principal = { agent: "helper", allow: ["*"], within: ada };
    expect(decide(helper).effect).toBe("allow");
    expect(decide(helper, {}, testRegistration("net/get"))).toMatchObject({
      effect: "deny",
      reason: 'neither the allow list nor a toolkit of "ada" covers net/get',
    });
    expect(decide({ ...helper, allow: ["net/*"] }).effect).toBe("deny");
  });

  it("gets the most restrictive decision, by the rules of whoever made it", () => {
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

  it("is judged by each call again, although its lenders said the same of the last one", () => {
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

  it("loses what its lender loses, and a lender that is exchanged is noticed", () => {
    const engine = createPolicyEngine({});
    const allow = ["fs/*"];
    const lender = { agent: "ada", allow };
    const helper: { agent: string; allow: string[]; within: Principal } = {
      agent: "helper",
      allow: ["*"],
      within: lender,
    };
    const lent = narrow(lender);
    expect(engine.visible(helper, read).effect).toBe("allow");
    expect(engine.visible(lent, read).effect).toBe("allow");
    helper.within = { agent: "nobody" };
    expect(engine.visible(helper, read).effect).toBe("deny");
    allow.pop();
    expect(engine.visible(lent, read).effect).toBe("deny");
  });

  it("may act within fifteen others and not one more, and never in a circle", () => {
    const deep = (links: number): Principal =>
      Array.from({ length: links - 1 }).reduce<Principal>((lender) => narrow(lender), ada);
    expect(decide(deep(16)).effect).toBe("allow");
    expect(decide(deep(17))).toMatchObject({ effect: "deny", reason: expect.stringContaining("15 others") });
    const circle: { agent: string; allow: string[]; within?: Principal } = { agent: "ada", allow: ["*"] };
    circle.within = { agent: "bob", allow: ["*"], within: circle };
    expect(decide(circle).effect).toBe("deny");
    expect(createPolicyEngine({}).visible(circle, read).effect).toBe("deny");
  });

  it.each([null, "ada", 7])("is denied everything if it acts within %j, which is no principal", (within) => {
    expect(decide({ ...ada, within: within as unknown as Principal }).effect).toBe("deny");
    expect(
      createPolicyEngine({}).visible({ ...ada, within: within as unknown as Principal }, read).effect,
    ).toBe("deny");
  });
});

describe("narrow", () => {
  it("keeps who is calling, lends everything unless told, and cannot be changed", () => {
    const lent = narrow(ada);
    expect(lent).toEqual({ ...ada, allow: ["*"], within: ada });
    expect(Object.isFrozen(lent) && Object.isFrozen(lent.allow) && Object.isFrozen(lent.roles)).toBe(true);
    expect(narrow(ada, { agent: "helper", toolkits: [] })).toMatchObject({
      agent: "helper",
      user: "u1",
      toolkits: [],
    });
    expect(narrow(ada, { toolkits: [] })).not.toHaveProperty("allow");
  });

  it("takes away, and adds nothing back further down", () => {
    const only = narrow(ada, { allow: ["fs/read"] });
    const again = narrow(only, { allow: ["*"], deny: ["fs/list"] });
    const of = (key: string) => decide(again, {}, testRegistration(key)).effect;
    expect(["fs/read", "fs/list", "fs/write", "net/get"].map(of)).toEqual(["allow", "deny", "deny", "deny"]);
  });

  it("refuses a misspelled field instead of lending everything", () => {
    expect(() => narrow(ada, { alow: ["fs/read"] } as never)).toThrow("`alow`");
  });
});
