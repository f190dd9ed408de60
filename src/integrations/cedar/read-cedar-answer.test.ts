import { describe, expect, it } from "vitest";
import { testRegistration } from "../../../test/kit/test-registration.ts";
import type { PolicyRequest } from "../../policy/engine.ts";
import type { Principal } from "../../types/principal.ts";
import { type CedarOptions, cedarPolicy } from "../cedar.ts";

const read = testRegistration("fs/read");
const ada: Principal = { agent: "ada", user: "u1", tenant: "t1", allow: ["*"] };

const all = "permit(principal, action, resource);";

const denial = async (
  policies: string,
  of: Partial<PolicyRequest> = {},
  more: Partial<CedarOptions> = {},
) => {
  const engine = await cedarPolicy({ policies, ...more });
  return engine.decide({ principal: ada, registration: read, input: {}, validated: true, ...of });
};

describe("reason of a denial", () => {
  it("says that no policy permits the call, or names all that forbid it by id", async () => {
    expect(await denial("")).toEqual({ effect: "deny", ruleIds: [], reason: "no Cedar policy permits it" });
    const forbids = ["b", "c", "a"].map((id) => `@id("${id}") forbid(principal, action, resource);`);
    expect(await denial(`${all} ${forbids.join(" ")}`)).toEqual({
      effect: "deny",
      ruleIds: ["a", "b", "c"],
      reason: "forbidden by a, b, c",
    });
  });

  it("says what failed in a policy, and what Cedar could not read", async () => {
    const overflow = `forbid(principal, action == Haft::Action::"call", resource)
      when { context.calls + 9223372036854775807 > 0 };`;
    const tally = { calls: 1, cost: 0, taints: [] };
    expect((await denial(`${all} ${overflow}`, { tally })).reason).toMatch(
      /^a Cedar policy failed: .*overflow/,
    );
    const entities = () => [{ uid: { type: "Haft::Planet", id: "x" } }];
    expect((await denial(all, {}, { entities })).reason).toMatch(/^Cedar could not decide: .*Planet/);
  });

  it("says that the spending is unknown when the cost is not a valid number", async () => {
    for (const cost of [Number.NaN, Number.POSITIVE_INFINITY, 9e14]) {
      const { effect, reason } = await denial(all, { tally: { calls: 1, cost, taints: [] } });
      expect({ effect, reason }).toEqual({
        effect: "deny",
        reason: `Cedar was not evaluated: the cost of the run is unknown (${cost})`,
      });
    }
  });

  it("is given for a request that does not fit the schema", async () => {
    const tally = { calls: 1, cost: 0, taints: [7 as never] };
    expect(await denial(all, { tally })).toMatchObject({
      effect: "deny",
      reason: expect.stringMatching(/^Cedar could not decide: /),
    });
  });
});

it("counts cost when a rule or a Cedar policy reads it", async () => {
  const counts = async (policies: string, rules: CedarOptions["rules"] = []) =>
    (await cedarPolicy({ policies, rules })).countsCost;
  const spending = `forbid(principal, action == Haft::Action::"call", resource)
    when { context.cost.greaterThan(decimal("1.0")) };`;
  expect(await counts(all)).toBe(false);
  expect(await counts(`${all} ${spending}`)).toBe(true);
  expect(await counts(all, [{ effect: "deny", spent: { cost: 1 } }])).toBe(true);
});

it("explains a call by its arguments, and denies arguments that were not validated", async () => {
  const policies = `${all} @id("big") forbid(principal, action == Haft::Action::"call", resource)
    when { context.input.number.hasTag("n") && context.input.number.getTag("n") > 5 };`;
  const engine = await cedarPolicy({ policies });
  const explain = (of: object) => engine.explain?.({ principal: ada, registration: read, ...of });
  expect(await explain({ input: { n: 9 } })).toMatchObject({ effect: "deny", ruleIds: ["big"] });
  expect(await explain({ input: { n: 1 } })).toMatchObject({ effect: "allow" });
  expect(await explain({ input: { n: 1 }, validated: true })).toMatchObject({ effect: "allow" });
  expect(await explain({ input: { n: 1 }, validated: false })).toMatchObject({
    effect: "deny",
    reason: expect.stringContaining("not validated"),
  });
});
