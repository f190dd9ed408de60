import { agent, Haft, type Principal, tool } from "haft";
import { calls, says, scriptedModel } from "haft/testing";
import { describe, expect, it } from "vitest";

const principal: Principal = { agent: "tester", allow: ["*"] };
const allowed = { effect: "allow" as const, tools: ["*"] };

describe("a rule about what a run has spent", () => {
  const limit = 30;
  const price = 20;
  const policy = {
    rules: [allowed, { id: "budget", effect: "deny" as const, tools: ["*"], spent: { cost: limit } }],
  };

  const world = (description: object, cost = price) => {
    const spent: number[] = [];
    const buy = tool({
      name: "buy",
      description: "Buys",
      input: [],
      ...(description as { readonly maxCost?: number }),
      run: async (_, context) => {
        // Yields, so that all calls that were allowed at once run at once.
        await new Promise((resolve) => setImmediate(resolve));
        spent.push(cost);
        context.cost(cost);
        return "bought";
      },
    });
    return { spent, buy };
  };
  const fifty = Array.from({ length: 50 }, (_, index) => ({ id: `c${index}`, tool: "buy", input: "{}" }));
  const sum = (amounts: readonly number[]): number => amounts.reduce((all, each) => all + each, 0);

  for (const [kind, description] of [
    ["of a tool with maxCost", { maxCost: price }],
    ["of a tool without maxCost", {}],
  ] as const) {
    it(`holds for fifty parallel calls ${kind}: as many run as the rule allows in sequence`, async () => {
      const { spent, buy } = world(description);
      const haft = await Haft.open({ tools: [buy], principal, policy });
      const replies = await haft.turn(fifty, { maxConcurrency: 50 });
      expect(sum(spent)).toBe(40);
      expect(replies.filter(({ ok }) => ok)).toHaveLength(2);
      expect(replies.filter(({ failure }) => failure?.code === "denied")).toHaveLength(48);
    });

    it(`holds for fifty calls of one message in an agent's run ${kind}`, async () => {
      const { spent, buy } = world(description);
      const haft = await Haft.open({ tools: [buy], principal, policy });
      const model = scriptedModel([
        calls(...fifty.map(({ id }) => ["buy", {}, id] as const)),
        calls(["buy", {}]),
        says("done"),
      ]);
      await haft.run(agent({ name: "buyer", instructions: "Buy", model, tools: [buy.spec] }), "Buy");
      expect(sum(spent)).toBe(40);
    });

    it(`holds for parallel nested calls ${kind}`, async () => {
      const { spent, buy } = world(description);
      const outer = tool({
        name: "outer",
        description: "Buys much",
        input: [],
        run: async (_, parent) => {
          const bought = await Promise.allSettled(fifty.map(() => haft.call("buy", {}, { parent })));
          return bought.filter(({ status }) => status === "fulfilled").length;
        },
      });
      const haft: Haft = (await Haft.open({ tools: [buy, outer], principal, policy })) as unknown as Haft;
      expect(await haft.call("outer", {})).toBe(2);
      expect(sum(spent)).toBe(40);
    });

    it(`allows more calls that cost less than expected ${kind}`, async () => {
      const { spent, buy } = world(description, 10);
      const haft = await Haft.open({ tools: [buy], principal, policy });
      const model = scriptedModel([
        calls(["buy", {}]),
        calls(["buy", {}]),
        calls(["buy", {}]),
        calls(["buy", {}]),
        says("done"),
      ]);
      await haft.run(agent({ name: "buyer", instructions: "Buy", model, tools: [buy.spec] }), "Buy");
      expect(spent).toEqual([10, 10, 10]);
    });
  }

  it("can read the maximum cost of a call from the spec of its tool", () => {
    expect((world({ maxCost: 7 }).buy.spec as { readonly maxCost?: number }).maxCost).toBe(7);
  });

  it("holds after a call whose cost is unknown because it timed out, and the turn continues", async () => {
    let starts = 0;
    const hang = tool({
      name: "hang",
      description: "Never answers",
      input: [],
      timeout: 20,
      run: () => {
        starts++;
        return new Promise(() => {});
      },
    });
    const haft = await Haft.open({ tools: [hang], principal, policy });
    const asked = [1, 2, 3].map((id) => ({ id: String(id), tool: "hang", input: "{}" }));
    const replies = await haft.turn(asked);
    expect(replies).toHaveLength(3);
    expect(starts).toBeGreaterThan(0);
  });
});

describe("after a call with an unknown outcome", () => {
  const world = (annotations: object = {}) => {
    const started: number[] = [];
    const pay = tool({
      name: "pay",
      description: "Pays",
      input: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
      annotations,
      timeout: 20,
      run: ({ amount }: { readonly amount: number }) => {
        started.push(amount);
        return new Promise(() => {});
      },
    });
    return { pay, started };
  };
  const run = async (
    { pay, started }: ReturnType<typeof world>,
    amounts: readonly (readonly number[])[],
    answer: { readonly kind: "allow" | "deny" },
  ) => {
    const asked: unknown[] = [];
    const model = scriptedModel([
      ...amounts.map((each) => calls(...each.map((amount) => ["pay", { amount }] as const))),
      says("done"),
    ]);
    const haft = await Haft.open({
      tools: [pay],
      principal,
      approver: ({ input }) => {
        asked.push(input);
        return answer as never;
      },
    });
    const payer = agent({ name: "payer", instructions: "Pay", model, tools: [pay.spec] });
    await haft.run(payer, "Pay");
    return { haft, payer, asked, started };
  };

  it("the same call of the same run requires approval, and a denial prevents it", async () => {
    const { asked, started, haft } = await run(world(), [[1], [1]], { kind: "deny" });
    expect(started).toEqual([1]);
    expect(asked).toEqual([{ amount: 1 }]);
    expect((await haft.log()).filter(({ tool }) => tool === "pay").map(({ code }) => code)).toEqual([
      "timed_out",
      "approval_denied",
    ]);
  });

  it("the same call runs again after an approval", async () => {
    const { asked, started } = await run(world(), [[1], [1]], { kind: "allow" });
    expect([asked, started]).toEqual([[{ amount: 1 }], [1, 1]]);
  });

  it("an earlier grant does not cover the same call", async () => {
    const { asked, started } = await run(world(), [[1], [1], [1]], { kind: "allow", always: "run" } as never);
    expect([asked, started]).toEqual([
      [{ amount: 1 }, { amount: 1 }],
      [1, 1, 1],
    ]);
  });

  it("a call with other arguments requires no approval", async () => {
    const { asked, started } = await run(world(), [[1], [2]], { kind: "deny" });
    expect([asked, started]).toEqual([[], [1, 2]]);
  });

  it("the same call of an idempotent tool requires no approval", async () => {
    const { asked, started } = await run(world({ idempotent: true }), [[1], [1]], { kind: "deny" });
    expect([asked, started]).toEqual([[], [1, 1]]);
  });

  it("a call with other spaces and another key order is the same call", async () => {
    const started: unknown[] = [];
    const pay = tool({
      name: "pay",
      description: "Pays",
      input: {
        type: "object",
        properties: { amount: { type: "number" }, to: { type: "string" } },
        required: ["amount", "to"],
      },
      timeout: 20,
      run: (input: unknown) => {
        started.push(input);
        return new Promise(() => {});
      },
    });
    const model = scriptedModel([
      calls(["pay", '{"amount":1,"to":"ada"}']),
      calls(["pay", '{ "to": "ada", "amount": 1.0 }']),
      says("done"),
    ]);
    const haft = await Haft.open({ tools: [pay], principal, approver: () => ({ kind: "deny" }) });
    await haft.run(agent({ name: "payer", instructions: "Pay", model, tools: [pay.spec] }), "Pay");
    expect(started).toHaveLength(1);
  });
});
