import { describe, expect, it } from "vitest";
import { testRegistration } from "../../../test/kit/test-registration.ts";
import type { PolicyRequest } from "../../policy/policy.ts";
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

describe("the reason of a denial", () => {
  it("says that nothing permits it, or names all that forbid it in the order of their ids", async () => {
    expect(await denial("")).toEqual({ effect: "deny", ruleIds: [], reason: "no Cedar policy permits it" });
    const forbids = ["b", "c", "a"].map((id) => `@id("${id}") forbid(principal, action, resource);`);
    expect(await denial(`${all} ${forbids.join(" ")}`)).toEqual({
      effect: "deny",
      ruleIds: ["a", "b", "c"],
      reason: "forbidden by a, b, c",
    });
  });

  it("says what broke in a policy, and what Cedar could not read of a question", async () => {
    const overflow = `forbid(principal, action == Haft::Action::"call", resource)
      when { context.calls + 9223372036854775807 > 0 };`;
    const tally = { calls: 1, cost: 0, taints: [] };
    expect((await denial(`${all} ${overflow}`, { tally })).reason).toMatch(
      /^a Cedar policy broke: .*overflow/,
    );
    const entities = () => [{ uid: { type: "Haft::Planet", id: "x" } }];
    expect((await denial(all, {}, { entities })).reason).toMatch(/^Cedar could not decide: .*Planet/);
  });

  it("says that nobody knows what a run has spent, where its cost is no number", async () => {
    for (const cost of [Number.NaN, Number.POSITIVE_INFINITY, 9e14]) {
      const { effect, reason } = await denial(all, { tally: { calls: 1, cost, taints: [] } });
      expect({ effect, reason }).toEqual({
        effect: "deny",
        reason: `Cedar was not asked: nobody knows what the run has spent (${cost})`,
      });
    }
  });

  it("is also given of a question that does not fit the schema", async () => {
    const tally = { calls: 1, cost: 0, taints: [7 as never] };
    expect(await denial(all, { tally })).toMatchObject({
      effect: "deny",
      reason: expect.stringMatching(/^Cedar could not decide: /),
    });
  });
});

it("cost is counted where a rule or a Cedar policy looks at it", async () => {
  const counts = async (policies: string, rules: CedarOptions["rules"] = []) =>
    (await cedarPolicy({ policies, rules })).countsCost;
  const spending = `forbid(principal, action == Haft::Action::"call", resource)
    when { context.cost.greaterThan(decimal("1.0")) };`;
  expect(await counts(all)).toBe(false);
  expect(await counts(`${all} ${spending}`)).toBe(true);
  expect(await counts(all, [{ effect: "deny", spent: { cost: 1 } }])).toBe(true);
});

it("a call is explained by what Cedar says of its arguments, and of those that were never validated", async () => {
  const policies = `${all} @id("big") forbid(principal, action == Haft::Action::"call", resource)
    when { context.input.number.hasTag("n") && context.input.number.getTag("n") > 5 };`;
  const engine = await cedarPolicy({ policies });
  const explain = (of: object) => engine.explain?.({ principal: ada, registration: read, ...of });
  expect(await explain({ input: { n: 9 } })).toMatchObject({ effect: "deny", ruleIds: ["big"] });
  expect(await explain({ input: { n: 1 } })).toMatchObject({ effect: "allow" });
  expect(await explain({ input: { n: 1 }, validated: true })).toMatchObject({ effect: "allow" });
  expect(await explain({ input: { n: 1 }, validated: false })).toMatchObject({
    effect: "deny",
    reason: expect.stringContaining("never validated"),
  });
});
