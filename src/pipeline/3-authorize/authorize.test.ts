import { type ApprovalRequest, Haft, type Principal, tool } from "haft";
import { approval, authorize, type ToolLayer } from "haft/layers";
import { describe, expect, it } from "vitest";
import { payCall as call, createPayTool } from "../../../test/kit/pay-tool.ts";

const principal: Principal = { agent: "tester", allow: ["*"] };
const amountOf = (input: unknown) => (input as { readonly amount: number }).amount;

const world = async (layers: readonly ToolLayer[], options: object = {}) => {
  const asked: ApprovalRequest[] = [];
  const { pay, paid } = createPayTool(...layers);
  const haft = await Haft.open({
    tools: [pay],
    principal,
    approver: (request) => {
      asked.push(request);
      return { kind: "allow" };
    },
    ...options,
  });
  return { haft, paid, asked };
};

/** A layer that has only an approve function and no label. */
const nameless = (approve: NonNullable<ToolLayer["approve"]>): ToolLayer =>
  Object.assign(((next) => next) as ToolLayer, { approve });

describe("approval layers", () => {
  it("request approval once, with the reason of the outermost layer", async () => {
    const { haft, paid, asked } = await world([
      approval({ reason: "inner" }),
      authorize(() => ({ kind: "allow" })),
      approval({ reason: "outer" }),
    ]);
    expect((await haft.turn([call]))[0]?.ok).toBe(true);
    expect(asked.map(({ reason }) => reason)).toEqual(["outer"]);
    expect(paid).toEqual([1]);
  });

  it("use the label of the layer as reason when they give none", async () => {
    const { haft, asked } = await world([nameless(() => ({ kind: "ask" }))]);
    await haft.turn([call]);
    const labeled = await world([
      Object.assign(
        nameless(() => ({ kind: "ask" })),
        { label: "four eyes" },
      ),
    ]);
    await labeled.haft.turn([call]);
    expect([...asked, ...labeled.asked].map(({ reason }) => reason)).toEqual([
      "a layer requires approval",
      "four eyes requires approval",
    ]);
  });

  it("request approval for the edited input when another layer edits the call", async () => {
    for (const reasons of [["before"], ["before", "after"], ["after"]]) {
      const { haft, paid, asked } = await world([
        ...(reasons.includes("after") ? [approval({ reason: "after" })] : []),
        authorize(({ input }) =>
          amountOf(input) === 1 ? { kind: "edit", input: { amount: 2 } } : { kind: "allow" },
        ),
        ...(reasons.includes("before") ? [approval({ reason: "before" })] : []),
      ]);
      await haft.turn([call]);
      expect(asked.map(({ reason, input }) => [reason, input])).toEqual([[reasons[0], { amount: 2 }]]);
      expect(paid).toEqual([2]);
    }
  });

  it("run once per call when they edit the input", async () => {
    let edits = 0;
    const { haft, paid } = await world([
      authorize(({ input }) => ({ kind: "edit", input: { amount: amountOf(input) + ++edits } })),
    ]);
    expect((await haft.turn([call]))[0]?.ok).toBe(true);
    expect([paid, edits]).toEqual([[2], 1]);
  });

  it("stop the call when the edited input breaks the schema", async () => {
    const { haft, paid } = await world([authorize(() => ({ kind: "edit", input: { amount: "much" } }))]);
    expect((await haft.turn([call]))[0]?.failure).toMatchObject({ code: "invalid_input" });
    expect(paid).toEqual([]);
  });

  it("add the reason of a denial to the message, if there is one", async () => {
    const because = await world([nameless(() => ({ kind: "deny", reason: "too late" }))]);
    const [reported] = await because.haft.turn([call]);
    const [untold] = await (await world([nameless(() => ({ kind: "deny" }))])).haft.turn([call]);
    expect([reported, untold].map((reply) => reply?.failure?.message)).toEqual([
      'The call of "pay" was not approved: too late.',
      'The call of "pay" was not approved.',
    ]);
    expect(because.paid).toEqual([]);
  });

  it("report layer_broke and request no approval when they throw", async () => {
    const throwing = nameless(() => {
      throw new Error("no list of rules");
    });
    for (const [layer, name] of [
      [throwing, "approval"],
      [Object.assign((next: never) => next, throwing, { label: "four eyes" }) as ToolLayer, "four eyes"],
    ] as const) {
      const { haft, paid, asked } = await world([layer]);
      const [reply] = await haft.turn([call]);
      expect(reply?.failure).toMatchObject({
        code: "layer_broke",
        tool: "pay",
        message: `The layer "${name}" failed while it decided about "pay".`,
        detail: "Error: no list of rules",
      });
      expect([paid, asked]).toEqual([[], []]);
    }
  });

  it("report layer_broke when they return an invalid answer", async () => {
    const nonsense = [
      Promise.resolve({ kind: "deny" }),
      { kind: "no" },
      { kind: "stopped" },
      {},
      "yes",
      true,
      false,
      null,
    ];
    for (const answer of nonsense) {
      const runs: unknown[] = [];
      const wipe = tool({ name: "wipe", description: "Wipes", input: [], run: (input) => runs.push(input) });
      const haft = await Haft.open({ tools: [wipe.layer(nameless(() => answer as never))], principal });
      const [reply] = await haft.turn([{ id: "1", tool: "wipe", input: "{}" }]);
      expect([reply?.failure?.code, runs]).toEqual(["layer_broke", []]);
      expect((await haft.log())[0]).toMatchObject({ ending: "failed", ran: false });
    }
  });

  it("leave the decision to other layers when they return undefined", async () => {
    const { haft, paid } = await world([nameless(() => undefined)]);
    expect((await haft.turn([call]))[0]?.ok).toBe(true);
    const refused = await world([nameless(() => ({ kind: "deny" })), nameless(() => undefined)]);
    expect((await refused.haft.turn([call]))[0]?.failure?.code).toBe("approval_denied");
    expect([paid, refused.paid]).toEqual([[1], []]);
  });

  it("receive the tool, the input, the agent and the env", async () => {
    const seen: unknown[] = [];
    const { haft } = await world([
      authorize((question) => {
        seen.push(question);
        return { kind: "allow" };
      }),
    ]);
    await haft.turn([call], { env: { user: "ada" } });
    expect(seen).toEqual([{ tool: "pay", input: { amount: 1 }, agent: "tester", env: { user: "ada" } }]);
  });
});

describe("permit", () => {
  it("cannot be changed by a layer, so the entry keeps the decision", async () => {
    const meddling: ToolLayer = (next) => (one) => {
      for (const [member, value] of Object.entries({ decision: "the layer", ruleIds: ["mine"], input: {} }))
        Reflect.set(one.grant, member, value);
      return next(one);
    };
    const { haft, paid } = await world([meddling]);
    await haft.turn([call]);
    const [entry] = await haft.log();
    expect(entry).toMatchObject({ decision: "the principal's rights allow it", ending: "executed" });
    expect(paid).toEqual([1]);
  });

  it("is not issued for a tool that was unregistered before the approval", async () => {
    const { haft, paid } = await world([approval()], { approver: () => undefined });
    const [reply] = await haft.turn([call]);
    haft.unregister("pay");
    expect(await haft.resume(reply?.pending?.id ?? "", { kind: "allow" })).toMatchObject({
      failure: { code: "unknown_tool", ran: false },
    });
    expect(paid).toEqual([]);
  });
});

describe("denial", () => {
  it("names the rules that decided it, if any", async () => {
    const rules = [
      { effect: "allow", tools: ["*"] },
      { id: "no-money", effect: "deny", tools: ["pay"], when: { type: "object" } },
    ];
    const byRule = await world([], { policy: { rules } });
    const [ruled] = await byRule.haft.turn([call]);
    expect(ruled?.failure).toMatchObject({ code: "denied", ruleIds: ["no-money"] });
    const deny = { effect: "deny", ruleIds: [], reason: "it says no" };
    const policy = { visible: () => ({ ...deny, effect: "allow" }), decide: () => deny };
    const [plain] = await (await world([], { policy })).haft.turn([call]);
    expect(plain?.failure).toMatchObject({ code: "denied", detail: "it says no" });
    expect(plain?.failure).not.toHaveProperty("ruleIds");
  });
});
