import * as Effect from "effect/Effect";
import { Haft, tool } from "haft";
import type { ToolLayer } from "haft/layers";
import { describe, expect, it } from "vitest";
import { outcomeChangingLayer } from "../../../test/kit/test-layers.ts";

const principal = { agent: "tester", allow: ["*"] };
const call = { id: "1", tool: "pay", input: "{}" };

const payer = (requiresApproval: boolean, ...layers: readonly ToolLayer[]) => {
  const runs: string[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays",
    input: [],
    requiresApproval,
    run: (_, { callId }) => runs.push(callId),
  }).layer(...layers);
  return { pay, runs };
};

describe("approver that fails", () => {
  it.each<[string, () => unknown, string]>([
    [
      "throws an error",
      () => {
        throw new Error("no network");
      },
      "the approver failed: no network",
    ],
    [
      "throws a string",
      () => {
        throw "gone";
      },
      "the approver failed: gone",
    ],
    ["rejects", () => Promise.reject(new Error("no network")), "the approver failed: no network"],
  ])("reports approval_required and runs nothing when it %s", async (_, approver, detail) => {
    const { pay, runs } = payer(true);
    const haft = await Haft.open({ tools: [pay], principal, approver: approver as never });
    const [reply] = await haft.turn([call]);
    expect(reply?.failure).toMatchObject({ code: "approval_required", tool: "pay", ran: false, detail });
    expect((await haft.log())[0]).toMatchObject({ ending: "failed", code: "approval_required", ran: false });
    expect(runs).toEqual([]);
  });

  it("is abandoned when the call is cancelled, and nothing runs", async () => {
    const { pay, runs } = payer(true);
    const asked = Promise.withResolvers<void>();
    const approver = () => {
      asked.resolve();
      return new Promise<never>(() => {});
    };
    const haft = await Haft.open({ tools: [pay], principal, approver });
    const stop = new AbortController();
    const turn = haft.turn([call], { signal: stop.signal });
    await asked.promise;
    stop.abort();
    expect((await turn)[0]?.failure).toMatchObject({ code: "cancelled", ran: false });
    expect((await haft.log())[0]).toMatchObject({ ending: "failed", code: "cancelled", ran: false });
    expect(runs).toEqual([]);
  });
});

describe("cancelled call", () => {
  const cancelledIn = async (
    make: (reached: () => void) => { readonly tool: object; readonly policy?: object },
  ) => {
    const here = Promise.withResolvers<void>();
    const { tool, policy } = make(here.resolve);
    const haft = await Haft.open({ tools: [tool], principal, ...(policy ? { policy } : {}) } as never);
    const stop = new AbortController();
    const turn = haft.turn([call], { signal: stop.signal });
    await here.promise;
    stop.abort();
    const [reply] = await turn;
    return [reply?.failure?.code, reply?.failure?.ran, (await haft.log())[0]?.ran];
  };

  it("has not run while the policy decides, and has run once its code was started", async () => {
    const allow = { effect: "allow", ruleIds: [], reason: "yes" };
    const asking = await cancelledIn((reached) => ({
      tool: payer(false).pay,
      policy: {
        visible: () => allow,
        decide: () => Effect.andThen(Effect.sync(reached), Effect.never),
      },
    }));
    const running = await cancelledIn((reached) => ({
      tool: tool({
        name: "pay",
        description: "Hangs",
        input: [],
        run: () => Effect.andThen(Effect.sync(reached), Effect.never),
      }),
    }));
    expect([asking, running]).toEqual([
      ["cancelled", false, false],
      ["cancelled", true, true],
    ]);
  });
});

describe("broken layer", () => {
  it.each<[string, ToolLayer, string, boolean]>([
    ["dies with an error", () => () => Effect.die(new Error("bug")), "bug", false],
    ["dies with a string", () => () => Effect.die("bug"), "bug", false],
    [
      "returns something that is not an outcome",
      outcomeChangingLayer(() => "yes" as never),
      "a layer returned a value that is not an outcome",
      true,
    ],
    [
      "returns a pending outcome",
      outcomeChangingLayer(
        () => ({ [Symbol.for("haft/outcome")]: true, _tag: "pending", approval: {} }) as never,
      ),
      "a layer returned a value that is not an outcome",
      true,
    ],
  ])("reports layer_broke, the reason and whether the code ran when it %s", async (_, layer, detail, ran) => {
    const { pay, runs } = payer(false, layer);
    const haft = await Haft.open({ tools: [pay], principal });
    const [reply] = await haft.turn([call]);
    expect(reply?.failure).toMatchObject({ code: "layer_broke", tool: "pay", ran, detail });
    expect(runs).toHaveLength(ran ? 1 : 0);
  });
});
