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

describe("an approver that breaks", () => {
  it.each<[string, () => unknown, string]>([
    [
      "throws an error",
      () => {
        throw new Error("no network");
      },
      "the approver broke: no network",
    ],
    [
      "throws a text",
      () => {
        throw "gone";
      },
      "the approver broke: gone",
    ],
    ["rejects", () => Promise.reject(new Error("no network")), "the approver broke: no network"],
  ])("when it %s asks nobody, and nothing runs", async (_, approver, detail) => {
    const { pay, runs } = payer(true);
    const haft = await Haft.open({ tools: [pay], principal, approver: approver as never });
    const [reply] = await haft.turn([call]);
    expect(reply?.failure).toMatchObject({ code: "approval_required", tool: "pay", ran: false, detail });
    expect((await haft.log())[0]).toMatchObject({ ending: "failed", code: "approval_required", ran: false });
    expect(runs).toEqual([]);
  });

  it("is left when the call is cancelled while it thinks, and nothing runs", async () => {
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

describe("a call that is cancelled", () => {
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

  it("while policy asks somebody else has not run, and one whose code was started has", async () => {
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

describe("a layer that breaks", () => {
  it.each<[string, ToolLayer, string, boolean]>([
    ["dies of an error", () => () => Effect.die(new Error("bug")), "bug", false],
    ["dies of a text", () => () => Effect.die("bug"), "bug", false],
    [
      "answers with no outcome",
      outcomeChangingLayer(() => "yes" as never),
      "a layer gave back something that is no outcome",
      true,
    ],
    [
      "says that the call waits for a person",
      outcomeChangingLayer(
        () => ({ [Symbol.for("haft/outcome")]: true, _tag: "pending", approval: {} }) as never,
      ),
      "a layer gave back something that is no outcome",
      true,
    ],
  ])("because it %s is told with its reason, and whether the code ran", async (_, layer, detail, ran) => {
    const { pay, runs } = payer(false, layer);
    const haft = await Haft.open({ tools: [pay], principal });
    const [reply] = await haft.turn([call]);
    expect(reply?.failure).toMatchObject({ code: "layer_broke", tool: "pay", ran, detail });
    expect(runs).toHaveLength(ran ? 1 : 0);
  });
});
