import { Haft, tool } from "haft";
import { expect, it } from "vitest";

it("pending calls of one tenant do not use the limit of another", async () => {
  const pay = tool({
    name: "pay",
    description: "Pays",
    input: { type: "object" },
    requiresApproval: true,
    run: () => "paid",
  });
  const haft = await Haft.open({ tools: [pay], approver: () => undefined });
  const of = (tenant: string) => haft.as({ agent: "clerk", tenant, allow: ["*"] });
  const calls = Array.from({ length: 1_001 }, (_, at) => ({ id: String(at), tool: "pay", input: "{}" }));
  const flood = await of("attacker").turn(calls);
  expect(flood.filter(({ pending }) => pending !== undefined)).toHaveLength(1_000);
  expect(flood.find(({ pending }) => pending === undefined)?.failure?.code).toBe("approval_required");
  const [other] = await of("victim").turn([{ id: "1", tool: "pay", input: "{}" }]);
  expect(other?.pending).toBeDefined();
  await haft.close();
});
