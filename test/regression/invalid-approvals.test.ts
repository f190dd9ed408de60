import { Haft, tool } from "haft";
import { expect, it } from "vitest";

const answers = [{ kind: "Deny" }, { kind: "ask" }, { kind: "yes" }, {}, "no", false, 0];
const principal = { agent: "tester", allow: ["*"] };
const guarded = () => {
  const ran: number[] = [];
  const made = tool({
    name: "pay",
    description: "Pays",
    input: { type: "object" } as const,
    requiresApproval: true,
    run: () => ran.push(1),
  });
  return { made, ran };
};

it.each(answers)("an approver that answers %j has not approved", async (answer) => {
  const { made, ran } = guarded();
  const haft = await Haft.open({ tools: [made], principal, approver: () => answer as never });
  const [reply] = await haft.turn([{ id: "1", tool: "pay", input: "{}" }]);
  expect([reply?.ok, ran]).toEqual([false, []]);
});

it.each([...answers, null, undefined])(
  "resuming with %j does not approve, and the call stays pending",
  async (answer) => {
    const { made, ran } = guarded();
    const haft = await Haft.open({ tools: [made], principal, approver: () => undefined });
    const [waiting] = await haft.turn([{ id: "1", tool: "pay", input: "{}" }]);
    const id = waiting?.pending?.id as string;
    await haft.resume(id, answer as never).catch(() => {});
    expect(ran).toEqual([]);
    expect((await haft.resume(id, { kind: "allow" })).ok).toBe(true);
  },
);
