import * as Effect from "effect/Effect";
import { agent, type Failure, Haft, rewrite, tool } from "haft";
import { failed, type ToolLayer } from "haft/layers";
import { calls, says, scriptedModel } from "haft/testing";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../types/outcome.ts";

const principal = { agent: "tester", allow: ["*"] };
const raw = { id: "1", tool: "work", input: "{}" };

/** Runs the code or not, and returns this outcome in both cases. */
const answering =
  (outcome: Outcome, runs: boolean): ToolLayer =>
  (next) =>
  (call) =>
    runs ? Effect.as(next(call), outcome) : Effect.succeed(outcome);

const world = async (layer: ToolLayer) => {
  const work = tool({ name: "work", description: "Works", input: [], run: () => "of the code" });
  const haft = await Haft.open({ tools: [work.layer(layer)], principal });
  const [reply] = await haft.turn([raw]);
  const [row] = await haft.log();
  return { reply, row };
};

describe("whether the code ran", () => {
  it("is reported as counted, whatever the layer says", async () => {
    for (const runs of [true, false]) {
      for (const said of [true, false]) {
        const failure: Failure = { code: "overloaded", message: "Busy.", ran: said };
        const { reply, row } = await world(answering(failed(failure, ["web"]), runs));
        expect(reply?.failure).toEqual({ ...failure, ran: runs });
        expect([row?.ran, reply?.taints]).toEqual([runs, ["web"]]);
      }
    }
  });

  it("is reported when the layer does not mention it", async () => {
    const silent = failed({ code: "overloaded", message: "Busy." });
    expect((await world(answering(silent, true))).reply?.failure?.ran).toBe(true);
    expect((await world(answering(silent, false))).reply?.failure?.ran).toBeUndefined();
  });
});

describe("value that a layer returns instead of the code's value", () => {
  it("keeps the code's value as the original", async () => {
    const { reply, row } = await world(answering(rewrite("new"), true));
    expect(reply?.flow).toEqual({ kind: "rewrite", original: "of the code" });
    expect(row).toMatchObject({ result: '"new"', original: '"of the code"' });
  });

  it("keeps the original that the layer names", async () => {
    const { reply, row } = await world(answering(rewrite("new", "old"), true));
    expect(reply?.flow).toEqual({ kind: "rewrite", original: "old" });
    expect(row).toMatchObject({ result: '"new"', original: '"old"' });
  });

  it("has no original when the code did not run or the value is the same", async () => {
    expect((await world(answering(rewrite("new"), false))).reply?.flow).toEqual({
      kind: "rewrite",
      original: undefined,
    });
    const { row } = await world((next) => (call) => next(call));
    expect(row?.original).toBeUndefined();
  });
});

describe("layer that does not return an Effect", () => {
  it("reports layer_broke and does not run the code", async () => {
    const { reply, row } = await world((() => () => "no Effect") as never);
    expect([reply?.failure?.code, row?.ran]).toEqual(["layer_broke", false]);
  });
});

describe("layer that throws while it is applied", () => {
  it("has an entry without layer names", async () => {
    const { row } = await world(() => {
      throw new Error("bug");
    });
    expect([row?.code, row?.layers]).toEqual(["layer_broke", []]);
  });
});

describe("calls of a run", () => {
  it("are calls of tools, without requests to the model", async () => {
    const seen: number[] = [];
    const work = tool({ name: "work", description: "Works", input: [], run: () => 1 });
    const counting: ToolLayer = (next) => (call) => {
      seen.push(call.request.scope.tally.calls);
      return next(call);
    };
    const haft = await Haft.open({ tools: [work.layer(counting)], principal });
    const model = scriptedModel([calls(["work", {}]), calls(["work", {}]), says("done")]);
    await haft.run(agent({ name: "tester", instructions: "Work.", model, tools: ["*"] }), "Go");
    expect(seen).toEqual([1, 2]);
  });
});
