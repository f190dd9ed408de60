import * as Effect from "effect/Effect";
import { agent, type Failure, Haft, rewrite, tool } from "haft";
import { failed, type ToolLayer } from "haft/layers";
import { calls, says, scriptedModel } from "haft/testing";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../types/outcome.ts";

const principal = { agent: "tester", allow: ["*"] };
const raw = { id: "1", tool: "work", input: "{}" };

/** Runs the code or not, and answers with this either way. */
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
  it("is what was counted, whatever the layer that answers says of it", async () => {
    for (const runs of [true, false]) {
      for (const said of [true, false]) {
        const failure: Failure = { code: "overloaded", message: "Busy.", ran: said };
        const { reply, row } = await world(answering(failed(failure, ["web"]), runs));
        expect(reply?.failure).toEqual({ ...failure, ran: runs });
        expect([row?.ran, reply?.taints]).toEqual([runs, ["web"]]);
      }
    }
  });

  it("is told although the layer says nothing of it", async () => {
    const silent = failed({ code: "overloaded", message: "Busy." });
    expect((await world(answering(silent, true))).reply?.failure?.ran).toBe(true);
    expect((await world(answering(silent, false))).reply?.failure?.ran).toBeUndefined();
  });
});

describe("what a layer puts in the place of the code's value", () => {
  it("is kept beside it, where the layer does not say what it replaced", async () => {
    const { reply, row } = await world(answering(rewrite("new"), true));
    expect(reply?.flow).toEqual({ kind: "rewrite", original: "of the code" });
    expect(row).toMatchObject({ result: '"new"', original: '"of the code"' });
  });

  it("is kept beside what the layer says that it replaced", async () => {
    const { reply, row } = await world(answering(rewrite("new", "old"), true));
    expect(reply?.flow).toEqual({ kind: "rewrite", original: "old" });
    expect(row).toMatchObject({ result: '"new"', original: '"old"' });
  });

  it("replaces nothing where the code did not run, or gave the very same", async () => {
    expect((await world(answering(rewrite("new"), false))).reply?.flow).toEqual({
      kind: "rewrite",
      original: undefined,
    });
    const { row } = await world((next) => (call) => next(call));
    expect(row?.original).toBeUndefined();
  });
});

describe("a layer that gives back no Effect", () => {
  it("breaks its own call, and the code does not run", async () => {
    const { reply, row } = await world((() => () => "no Effect") as never);
    expect([reply?.failure?.code, row?.ran]).toEqual(["layer_broke", false]);
  });
});

describe("a layer that breaks when it is put around its tool", () => {
  it("has no name in the row, which is written all the same", async () => {
    const { row } = await world(() => {
      throw new Error("bug");
    });
    expect([row?.code, row?.layers]).toEqual(["layer_broke", []]);
  });
});

describe("the calls of a run", () => {
  it("are those of tools: a question to the model is none", async () => {
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
