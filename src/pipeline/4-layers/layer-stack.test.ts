import * as Effect from "effect/Effect";
import { Haft } from "haft";
import { approval, inputSchema, type Outcome, retry, type ToolLayer, timeout } from "haft/layers";
import { describe, expect, it } from "vitest";
import { payCall as call, createPayTool } from "../../../test/kit/pay-tool.ts";
import { callChangingLayer } from "../../../test/kit/test-layers.ts";

const principal = { agent: "tester", allow: ["*"] };
const plain: ToolLayer = (next) => next;

describe("layers around a tool", () => {
  it('are recorded by label from the outside in, and as "layer" without a label', async () => {
    const { pay } = createPayTool(timeout("1 second"), plain, retry({ attempts: 2 }));
    const haft = await Haft.open({ tools: [pay], principal });
    await haft.turn([call], { layers: [timeout("2 seconds")] });
    expect((await haft.log())[0]?.layers).toEqual(["timeout", "retry", "layer", "timeout"]);
  });

  it("use the mode of an inputSchema layer at any position", async () => {
    const breaks = callChangingLayer((one) => ({ ...one, input: { amount: "much" } }));
    for (const layers of [
      [plain, inputSchema("lenient"), breaks],
      [inputSchema("lenient"), plain, breaks],
    ] as const) {
      const { pay, paid } = createPayTool(...(layers as readonly ToolLayer[]));
      const haft = await Haft.open({ tools: [pay], principal });
      expect((await haft.turn([call]))[0]?.ok).toBe(true);
      expect(paid).toEqual(["much"]);
    }
    const { pay, paid } = createPayTool(plain, breaks);
    const haft = await Haft.open({ tools: [pay], principal });
    expect((await haft.turn([call]))[0]?.failure?.code).toBe("invalid_input");
    expect(paid).toEqual([]);
  });

  it("are applied once for repeated calls", async () => {
    let built = 0;
    const counting: ToolLayer = (next) => {
      built += 1;
      return next;
    };
    const { pay, paid } = createPayTool(counting);
    const haft = await Haft.open({ tools: [pay], principal });
    await haft.turn([call, { ...call, id: "2" }]);
    await haft.turn([{ ...call, id: "3" }]);
    expect([built, paid]).toEqual([1, [1, 1, 1]]);
  });
});

describe("failure that the gate returns to a layer", () => {
  const reported = async (
    act: (outcomes: Outcome[], haft: () => Haft) => ToolLayer,
    ...more: readonly ToolLayer[]
  ) => {
    const outcomes: Outcome[] = [];
    let opened: Haft | undefined;
    const { pay, paid } = createPayTool(
      act(outcomes, () => opened as Haft),
      ...more,
    );
    const haft = await Haft.open({ tools: [pay], principal, approver: () => ({ kind: "allow" }) });
    opened = haft as unknown as Haft;
    await haft.turn([call]);
    return { paid, failures: outcomes.flatMap((one) => (one._tag === "failure" ? [one.failure] : [])) };
  };
  const keeping = (outcomes: Outcome[]) => (outcome: Outcome) =>
    Effect.sync(() => {
      outcomes.push(outcome);
      return outcome;
    });

  it("is already_started with ran: false when a layer starts the code twice", async () => {
    const { paid, failures } = await reported(
      (outcomes) => (next) => (one) =>
        Effect.flatMap(next(one), () => Effect.flatMap(next(one), keeping(outcomes))),
    );
    expect(failures).toMatchObject([{ code: "already_started", tool: "pay", ran: false }]);
    expect(paid).toEqual([1]);
  });

  it("is unknown_tool with ran: false when the tool was unregistered", async () => {
    const { paid, failures } = await reported((outcomes, haft) => (next) => (one) => {
      haft().unregister("pay");
      return Effect.flatMap(next(one), keeping(outcomes));
    });
    expect(failures).toMatchObject([{ code: "unknown_tool", tool: "pay", ran: false }]);
    expect(paid).toEqual([]);
  });

  it("is denied with ran: false when a layer changes the principal", async () => {
    const { paid, failures } = await reported(
      (outcomes) => (next) => (one) =>
        Effect.flatMap(next({ ...one, principal: { ...one.principal } }), keeping(outcomes)),
    );
    expect(failures).toMatchObject([{ code: "denied", tool: "pay", ran: false }]);
    expect(paid).toEqual([]);
  });

  it("is approval_required with ran: false when a layer changes approved input", async () => {
    const { paid, failures } = await reported(
      (outcomes) => (next) => (one) =>
        Effect.flatMap(next({ ...one, input: { amount: 2 } }), keeping(outcomes)),
      approval({ reason: "money" }),
    );
    expect(failures).toMatchObject([{ code: "approval_required", tool: "pay", ran: false, detail: "money" }]);
    expect(paid).toEqual([]);
  });
});
