import { tool } from "haft";
import type { PermissionExplanation, Permissions } from "haft/studio";
import { describe, expect, it } from "vitest";
import { studioScene } from "../../../../test/kit/studio-scene.ts";

describe("permissions", () => {
  it("are decided by the policy and name the deciding rule", async () => {
    const policy = {
      rules: [
        { effect: "allow", tools: ["*"] },
        { id: "no-refunds", effect: "deny", tools: ["refund"], agents: ["clerk"] },
      ],
    };
    const { get, post } = await studioScene({ policy: policy as never });
    const { principals, tools, cells } = await get<Permissions>("/permissions", "Permissions");
    const of = (agent: string, tool: string) =>
      cells[principals.findIndex(({ caller }) => caller.agent === agent)]![tools.indexOf(tool)]!;
    expect(of("clerk", "refund")).toMatchObject({ effect: "deny", ruleIds: ["no-refunds"] });
    expect(of("clerk", "find_order")).toMatchObject({ effect: "allow" });
    expect(of("guest", "refund")).toMatchObject({ effect: "deny" });
    const why = await get<PermissionExplanation>(
      "/permissions/explain?as=clerk&tool=refund&input=%7B%22id%22%3A%221%22%7D",
      "PermissionExplanation",
    );
    expect(why).toMatchObject({
      effect: "deny",
      ruleIds: ["no-refunds"],
      text: expect.stringContaining("no-refunds"),
    });
    // Typed arguments are sent in the body and not in the address.
    const written = await post<PermissionExplanation>("/permissions/explain", {
      as: "clerk",
      tool: "refund",
      input: { id: "1" },
    });
    expect(written).toMatchObject({ status: 200, effect: "deny", ruleIds: ["no-refunds"] });
  });

  const payments = {
    rules: [
      { id: "everybody", effect: "allow", tools: ["*"] },
      {
        id: "no-large-refunds",
        effect: "deny",
        tools: ["refund"],
        when: { type: "object", properties: { amount: { minimum: 1_000 } }, required: ["amount"] },
      },
      { id: "no-guests", effect: "deny", tools: ["find_order"], agents: ["visitor"] },
    ],
    blockHighRiskWithoutApproval: false,
  };
  const explain = (get: <Answer>(path: string, schema?: string) => Promise<Answer>, query: object) =>
    get<PermissionExplanation>(
      `/permissions/explain?${new URLSearchParams(query as Record<string, string>)}`,
      "PermissionExplanation",
    );
  const states = ({ rules }: PermissionExplanation) => rules.map(({ id, state }) => [id, state]);

  it("name what can change a decision", async () => {
    const { get } = await studioScene({ policy: payments as never });
    const { principals, tools, cells } = await get<Permissions>("/permissions", "Permissions");
    const of = (agent: string, tool: string) =>
      cells[principals.findIndex(({ caller }) => caller.agent === agent)]![tools.indexOf(tool)]!;
    expect(of("clerk", "refund")).toMatchObject({ effect: "allow", dependsOn: ["arguments"] });
    expect(of("clerk", "find_order")).toMatchObject({ effect: "allow", dependsOn: ["untrusted-content"] });
    expect(of("guest", "refund")).toMatchObject({ effect: "deny", dependsOn: [] });
  });

  it("depend on unknown conditions with a custom policy engine", async () => {
    const allow = { effect: "allow", ruleIds: [], reason: "why not" } as const;
    const { get } = await studioScene({ policy: { visible: () => allow, decide: () => allow } as never });
    const { principals, tools, cells } = await get<Permissions>("/permissions", "Permissions");
    const clerk = principals.findIndex(({ caller }) => caller.agent === "clerk");
    expect(cells[clerk]![tools.indexOf("find_order")]).toMatchObject({
      effect: "allow",
      dependsOn: ["unknown"],
    });
  });

  it("explain the effect of each rule with its conditions", async () => {
    const { get } = await studioScene({ policy: payments as never });
    const open = await explain(get, { as: "clerk", tool: "refund" });
    expect(open).toMatchObject({ effect: "allow", dependsOn: ["arguments"] });
    expect(states(open)).toEqual([
      ["everybody", "decides"],
      ["no-large-refunds", "would-decide"],
      ["no-guests", "other-callers"],
    ]);
    expect(open.rules[1]!.conditions).toEqual([{ field: "when", text: "input.amount ≥ 1000" }]);
    const large = await explain(get, { as: "clerk", tool: "refund", input: '{"id":"1","amount":5000}' });
    expect(large).toMatchObject({ effect: "deny", dependsOn: [], issues: [] });
    expect(states(large).slice(0, 2)).toEqual([
      ["everybody", "overruled"],
      ["no-large-refunds", "decides"],
    ]);
    expect(large.rules[0]!.overruledBy).toEqual(["no-large-refunds"]);
    const small = await explain(get, { as: "clerk", tool: "refund", input: '{"id":"1","amount":5}' });
    expect(states(small)[1]).toEqual(["no-large-refunds", "unmet"]);
    const other = await explain(get, { as: "clerk", tool: "broken" });
    expect(states(other)[1]).toEqual(["no-large-refunds", "other-tools"]);
  });

  it("explain that lists of the caller take precedence over rules, and that a high-risk tool needs approval", async () => {
    const { get } = await studioScene({ policy: { rules: payments.rules } as never });
    const guest = await explain(get, { as: "guest", tool: "refund" });
    expect(guest.callers[0]!.lists[0]!.refusal).toContain('neither the allow list nor a toolkit of "guest"');
    expect(guest.rules[0]).toMatchObject({ id: "everybody", state: "overruled", overruledBy: [] });
    const clerk = await explain(get, { as: "clerk", tool: "refund", input: '{"id":"1"}' });
    expect(clerk).toMatchObject({ effect: "approve" });
    expect(clerk.rules[0]).toMatchObject({
      state: "not-enough",
      reason: expect.stringContaining("high-risk tool"),
    });
  });

  it("are refused for input that is not JSON, and report arguments that do not fit", async () => {
    const { get, signed } = await studioScene({ policy: payments as never });
    const refused = await signed("/permissions/explain?as=clerk&tool=refund&input=%7Bid");
    expect([refused.status, JSON.stringify(await refused.json())]).toEqual([
      400,
      expect.stringContaining("`input` is not valid JSON"),
    ]);
    const invalid = await explain(get, { as: "clerk", tool: "refund", input: "{}" });
    expect(invalid.issues).toEqual([{ pointer: expect.any(String), message: expect.any(String) }]);
    expect((await signed("/permissions/explain?as=clerk&tool=refund&tainted=perhaps")).status).toBe(400);
  });

  it("are explained for the same caller after its session ended", async () => {
    const { get } = await studioScene({ policy: payments as never });
    const id = JSON.stringify(["clerk", "s-99", null, null]);
    expect(await explain(get, { as: id, tool: "find_order" })).toMatchObject({ caller: { agent: "clerk" } });
  });

  it("need one decision for each pair of caller and tool", async () => {
    const tools = Array.from({ length: 200 }, (_, index) =>
      tool({
        name: `tool_${index}`,
        description: "Does something",
        input: { type: "object" },
        run: () => "",
      }),
    );
    const principals = Array.from({ length: 50 }, (_, index) => ({ agent: `agent_${index}`, allow: ["*"] }));
    let decisions = 0;
    const visible = () => {
      decisions += 1;
      return { effect: "allow", reason: "", ruleIds: [] };
    };
    const policy = { visible, decide: visible };
    const { get } = await studioScene({ tools, policy } as never, { principals });
    decisions = 0;
    const { cells } = await get<Permissions>("/permissions");
    expect(decisions).toBe(50 * 200);
    expect([cells.length, cells[2]!.length]).toEqual([50, 200]);
  });
});
