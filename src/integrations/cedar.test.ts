import { describe, expect, it } from "vitest";
import { testRegistration } from "../../test/kit/test-registration.ts";
import type { PolicyRequest } from "../policy/engine.ts";
import { narrow } from "../policy/options.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { Principal } from "../types/principal.ts";
import { type CedarOptions, cedarPolicy } from "./cedar.ts";

const read = testRegistration("fs/read", { tags: ["files"], annotations: { readOnly: true } });
const pay = testRegistration("bank/pay");
const ada: Principal = { agent: "ada", user: "u1", tenant: "t1", roles: ["reader"], allow: ["*"] };
const all = "permit(principal, action, resource);";

const open = (policies: string, more: Partial<CedarOptions> = {}) =>
  cedarPolicy({ policies, toolkits: { files: ["fs/*"] }, ...more });
const request = (of: Partial<PolicyRequest> = {}): PolicyRequest => ({
  principal: ada,
  registration: read,
  input: {},
  validated: true,
  ...of,
});
const effect = async (policies: string, of: Partial<PolicyRequest> = {}, more: Partial<CedarOptions> = {}) =>
  (await open(policies, more)).decide(request(of)).effect;

const onCall = (kind: "permit" | "forbid", when: string) =>
  `${kind}(principal, action == Haft::Action::"call", resource) when { ${when} };`;

describe("Cedar policy", () => {
  it("denies by default, and forbid overrides permit", async () => {
    expect(await effect("")).toBe("deny");
    expect(await effect(all)).toBe("allow");
    expect(await effect(`${all} forbid(principal, action, resource);`)).toBe("deny");
  });

  it.each([
    [`permit(principal == Haft::Agent::"ada", action, resource);`, "allow"],
    [`permit(principal == Haft::Agent::"bob", action, resource);`, "deny"],
    [`permit(principal in Haft::User::"u1", action, resource);`, "allow"],
    [`permit(principal in Haft::Tenant::"t2", action, resource);`, "deny"],
    [`permit(principal in Haft::Role::"reader", action in Haft::Action::"use", resource);`, "allow"],
    [`permit(principal, action, resource == Haft::Tool::"fs/read");`, "allow"],
    [`permit(principal, action, resource in Haft::Toolkit::"files");`, "allow"],
    [`permit(principal, action, resource) when { resource.key like "fs/*" };`, "allow"],
    [`permit(principal, action, resource) when { resource.toolkits.contains("files") };`, "allow"],
    [`permit(principal, action, resource) when { resource.risk == "high" };`, "deny"],
    [`permit(principal, action, resource) when { resource.tags.contains("files") };`, "allow"],
    [`permit(principal, action, resource) when { resource.source == "function" };`, "allow"],
    [`permit(principal, action, resource) when { resource.annotations.readOnly };`, "allow"],
    [`permit(principal, action, resource) when { resource.sink };`, "deny"],
    [
      `permit(principal, action, resource) when { principal has user && principal.user == Haft::User::"u1" };`,
      "allow",
    ],
    [
      `permit(principal, action, resource) when { principal has tenant && principal.tenant == Haft::Tenant::"t1" };`,
      "allow",
    ],
    [`permit(principal, action, resource) when { principal has session };`, "deny"],
  ])("%s gives %s", async (policies, expected) => {
    expect(await effect(policies)).toBe(expected);
  });

  it("can read taints, repaired arguments and the spending of the run", async () => {
    const tally = { calls: 5, cost: 1.25, taints: ["web/fetch"] };
    for (const when of [
      "context.tainted",
      'context.taints.contains("web/fetch")',
      "!context.taints.isEmpty()",
      "context.calls >= 5",
      'context.cost.greaterThan(decimal("1.2"))',
    ]) {
      expect(await effect(`${all} ${onCall("forbid", when)}`, { tally })).toBe("deny");
      expect(await effect(`${all} ${onCall("forbid", when)}`)).toBe("allow");
    }
    const repaired = `${all} ${onCall("forbid", "context.repaired")}`;
    expect(await effect(repaired, { repaired: true })).toBe("deny");
    expect(await effect(repaired)).toBe("allow");
    expect(await effect(all, { tally: { ...tally, cost: Number.NaN } })).toBe("deny");
  });

  it("names the policies that decided by id or by position", async () => {
    const many = Array.from(
      { length: 11 },
      (_, at) =>
        `@id("p${at}") permit(principal, action, resource is Haft::Tool) when { resource.key == "t${at}" };`,
    );
    const engine =
      await open(`${many.join("\n")} permit(principal, action, resource) when { resource.key == "fs/read" };
      @id("no-pay") forbid(principal, action, resource == Haft::Tool::"bank/pay");`);
    expect(engine.decide(request())).toMatchObject({ effect: "allow", ruleIds: ["policies[11]"] });
    const denied = engine.decide(request({ registration: pay }));
    expect(denied).toEqual({ effect: "deny", ruleIds: ["no-pay"], reason: "forbidden by no-pay" });
  });

  it("requires approval when only permits with @approval apply", async () => {
    const small = onCall(
      "permit",
      'context.input.number.hasTag("amount") && context.input.number.getTag("amount") < 100',
    );
    const policies = `permit(principal, action == Haft::Action::"list", resource);
      @id("ask") @approval("required") permit(principal, action == Haft::Action::"call", resource); @id("small") ${small}`;
    const engine = await open(policies);
    const of = (amount: number) => engine.decide(request({ registration: pay, input: { amount } }));
    expect(of(5)).toMatchObject({ effect: "allow", ruleIds: ["small"] });
    expect(of(500)).toMatchObject({
      effect: "approve",
      ruleIds: ["ask"],
      reason: "approval required by ask",
    });
    expect(engine.visible(ada, pay).effect).toBe("allow");
  });

  it("uses groups and tags of the operator", async () => {
    const policies = `permit(principal in Haft::Group::"staff", action, resource)
      when { principal has user && principal.user.hasTag("team") && principal.user.getTag("team") == "red" };`;
    const user = { type: "Haft::User", id: "u1" };
    const staff = { type: "Haft::Group", id: "staff" };
    const entities = [{ uid: user, parents: [staff], tags: { team: "red" } }, { uid: staff }];
    expect(await effect(policies, {}, { entities: () => entities })).toBe("allow");
    expect(await effect(policies, {}, { entities: () => [{ uid: user, tags: { team: "red" } }] })).toBe(
      "deny",
    );
    expect(await effect(policies)).toBe("deny");
    const own = [{ uid: { type: "Haft::Agent", id: "ada" }, parents: [staff] }, entities[0]!];
    expect(await effect(policies, {}, { entities: () => own })).toBe("allow");
  });
});

describe("Cedar next to other rules", () => {
  it("does not extend the rights, rules and tables of the principal", async () => {
    expect(await effect(all, { principal: undefined })).toBe("deny");
    expect(await effect(all, { principal: { agent: "ada" } })).toBe("deny");
    expect(await effect(all, {}, { rights: { users: { u2: { allow: ["*"] } } } })).toBe("deny");
    expect(await effect(all, {}, { rules: [{ effect: "approve" }] })).toBe("approve");
  });

  it("does not replace the approval for risk, a missing schema, repaired arguments or taints", async () => {
    const tally = { calls: 1, cost: 0, taints: ["web/fetch"] };
    expect(await effect(all, { registration: testRegistration("a", { risk: "high" }) })).toBe("approve");
    expect(await effect(all, { registration: testRegistration("a", { noSchemaMode: "full" }) })).toBe(
      "approve",
    );
    expect(await effect(all, { registration: testRegistration("a", { tags: ["sink"] }), tally })).toBe(
      "approve",
    );
    expect(await effect(all, { registration: pay, repaired: true })).toBe("approve");
    const waiver: CedarOptions["rules"] = [{ effect: "allow", waivesApproval: true }];
    expect(
      await effect(all, { registration: testRegistration("a", { risk: "high" }) }, { rules: waiver }),
    ).toBe("allow");
  });

  it("must also permit every delegator of the caller", async () => {
    const policies = `permit(principal == Haft::Agent::"helper", action, resource);
      permit(principal == Haft::Agent::"ada", action, resource) when { resource.key == "fs/read" };`;
    const engine = await open(policies);
    const helper = narrow(ada, { agent: "helper" });
    expect(engine.decide(request({ principal: helper })).effect).toBe("allow");
    expect(engine.visible(helper, pay).effect).toBe("deny");
    expect(engine.decide(request({ principal: helper, registration: pay })).effect).toBe("deny");
  });

  it("does not allow a call of a tool that may not be listed", async () => {
    const engine = await open('permit(principal, action == Haft::Action::"call", resource);');
    expect(engine.visible(ada, read).effect).toBe("deny");
    expect(engine.decide(request()).effect).toBe("deny");
  });
});

describe("invalid Cedar policy", () => {
  it.each([
    ["permit(principal, action, resource", "cannot be read: unexpected end of input"],
    [`forbid(principal, action, resource) when { resource.rysk == "high" };`, "did you mean `risk`?"],
    [
      "forbid(principal, action, resource) when { context.tainted };",
      'write `action == Haft::Action::"call"`',
    ],
    [`permit(principal, action == Haft::Action::"run", resource);`, "unrecognized action"],
    [`forbid(principal in Haft::Rol::"x", action, resource);`, "did you mean `Haft::Role`?"],
    [onCall("forbid", 'context.input.number.getTag("n") > 1'), ".hasTag("],
    ["forbid(principal, action, resource) when { 1 == 2 };", "policy is impossible"],
    ["permit(principal == ?principal, action, resource);", "template"],
    [`@id("a") ${all} @id("a") ${all}`, 'two policies with the id "a"'],
    [`@approval("maybe") ${all}`, '@approval("required")'],
    [`@approval("required") forbid(principal, action, resource);`, '@approval("required")'],
  ])("is refused when it is loaded: %s", async (policies, message) => {
    await expect(open(policies)).rejects.toBeInstanceOf(ConfigurationError);
    await expect(open(policies)).rejects.toThrow(message);
  });

  it("is refused like invalid options", async () => {
    await expect(open(all, { rules: [{ effect: "nope" as never }] })).rejects.toThrow("rules[0].effect");
    await expect(open(7 as never)).rejects.toThrow("must be a string");
  });
});

describe("failing decision", () => {
  it("denies when a policy fails, an entity is invalid or a function of the operator throws", async () => {
    const overflow = `@id("sum") ${onCall("forbid", "context.calls + 9223372036854775807 > 0")}`;
    const engine = await open(`${all} ${overflow}`);
    expect(engine.decide(request()).effect).toBe("deny");
    const tally = { calls: 1, cost: 0, taints: [] };
    expect(engine.decide(request({ tally }))).toMatchObject({
      effect: "deny",
      ruleIds: ["sum"],
      reason: expect.stringContaining("failed"),
    });
    const stranger = { uid: { type: "Haft::Planet", id: "x" } };
    expect(await effect(all, {}, { entities: () => [stranger] })).toBe("deny");
    let isDown = true;
    const shaky = await open(all, {
      entities: () => {
        if (isDown) throw new Error("no directory");
        return [];
      },
    });
    expect(shaky.visible(ada, read)).toMatchObject({
      effect: "deny",
      reason: expect.stringContaining("no directory"),
    });
    isDown = false;
    expect(shaky.visible(ada, read).effect).toBe("allow");
  });
});

describe("visibility of a tool", () => {
  it("is decided again when the caller has changed", async () => {
    const engine = await open(
      `permit(principal in Haft::Role::"reader", action, resource)
        when { principal has session && principal.session == "s1" };`,
    );
    const caller = { ...ada, roles: ["reader"], session: "s1" };
    expect(engine.visible(caller, read).effect).toBe("allow");
    caller.session = "s2";
    expect(engine.visible(caller, read).effect).toBe("deny");
    caller.session = "s1";
    expect(engine.visible(caller, read).effect).toBe("allow");
    caller.roles.pop();
    expect(engine.visible(caller, read).effect).toBe("deny");
  });

  it("is decided each time when the operator provides groups", async () => {
    const frozen = Object.freeze({ agent: "ada", allow: Object.freeze(["*"]) });
    let group = "staff";
    const engine = await open(
      `${all} forbid(principal in Haft::Group::"suspended", action == Haft::Action::"list", resource);`,
      {
        entities: ({ agent }) => [
          { uid: { type: "Haft::Agent", id: agent }, parents: [{ type: "Haft::Group", id: group }] },
        ],
      },
    );
    const seen = () => [
      engine.visible(frozen, read).effect,
      engine.decide(request({ principal: frozen })).effect,
    ];
    expect(seen()).toEqual(["allow", "allow"]);
    group = "suspended";
    expect(seen()).toEqual(["deny", "deny"]);
    group = "staff";
    expect(seen()).toEqual(["allow", "allow"]);
  });

  it("needs no approval, even when the operator provides groups", async () => {
    const engine = await open(`@approval("required") ${all}`, { entities: () => [] });
    expect(engine.visible(ada, read).effect).toBe("allow");
    expect(engine.decide(request()).effect).toBe("approve");
  });

  it("is explained with the answer of Cedar", async () => {
    const engine = await open(`@id("no") forbid(principal, action, resource); ${all}`);
    const reported = await engine.explain?.({ principal: ada, registration: read });
    expect(reported).toMatchObject({
      effect: "deny",
      ruleIds: ["no"],
      links: [{ agent: "ada", effect: "allow" }],
    });
    expect(reported?.text).toContain('"ada" may not call fs/read: forbidden by no.');
  });
});
