import { writeFileSync } from "node:fs";
import * as Effect from "effect/Effect";
import { Haft, tool } from "haft";
import { type AuthorizedCall, type Handler, succeeded, type ToolLayer } from "haft/layers";
import { describe, expect, it } from "vitest";
import { createTestCall } from "../../../test/contracts/test-call.ts";
import { CassetteScene, lookCalls } from "../../../test/kit/cassette-scene.ts";
import { cassette } from "../cassette.ts";

const world = new CassetteScene();

describe("recorded entry", () => {
  it("has the outcome after all layers, once for a call with several attempts", async () => {
    const tries: ToolLayer = (next) => (call) =>
      Effect.flatMap(next(call), (outcome) =>
        outcome._tag === "failure" ? next(call) : Effect.succeed(outcome),
      );
    const nothing = world.look().layer(tries);
    await world.with({}, (haft) => haft.turn(lookCalls("nothing")), [nothing]);
    expect(world.ran).toHaveLength(2);
    expect(world.entries).toHaveLength(1);
  });

  it("is not written for a call that a recorded tool makes", async () => {
    const tape = cassette(world.path);
    const inner = createTestCall({ tool: "inner" });
    const deeper = createTestCall({ tool: "deeper" });
    const within = (call: AuthorizedCall, parent: AuthorizedCall): AuthorizedCall => ({
      ...call,
      request: { ...call.request, parentId: parent.request.entryId },
    });
    const handler: Handler = tape.layer((call) => {
      if (call.registration.key === "outer") return handler(within(inner, call));
      if (call.registration.key === "inner") return handler(within(deeper, call));
      return Effect.succeed(succeeded("from inside"));
    });
    expect(await Effect.runPromise(handler(createTestCall({ tool: "outer" })))).toMatchObject({
      value: "from inside",
    });
    await tape.save();
    expect(world.entries.map((entry) => entry.tool)).toEqual(["outer"]);
    await Effect.runPromise(handler(inner));
    expect(tape.report.entries).toBe(2);
  });

  it("has the cancellation of a cancelled call", async () => {
    const waits = tool({
      name: "waits",
      description: "Waits",
      input: [],
      run: () => new Promise(() => {}),
    });
    const cancel = async (haft: Haft) => {
      const controller = new AbortController();
      const turn = haft.turn([{ id: "a", tool: "waits", input: {} }], { signal: controller.signal });
      controller.abort();
      return turn;
    };
    await world.with({}, cancel, [waits]);
    expect(world.entries[0]?.outcome).toMatchObject({ kind: "failure", failure: { code: "cancelled" } });
    const [reply] = await world.with({}, (haft) => haft.turn([{ id: "a", tool: "waits", input: {} }]), [
      waits,
    ]);
    expect(reply?.failure?.code).toBe("cancelled");
  });

  it("has the failure that a broken layer or an invalid result leads to", async () => {
    const broken: ToolLayer = () => () => {
      throw new Error("broken");
    };
    const odd = [
      world.look().layer(broken),
      tool({ name: "map", description: "Gives a map", input: [], run: () => new Map() as never }),
      tool({
        name: "date",
        description: "Gives a date",
        input: [],
        run: () => ({ at: new Date(0) }) as never,
      }),
    ];
    const all = (haft: Haft) =>
      haft.turn([
        ...lookCalls("x"),
        { id: "m", tool: "map", input: {} },
        { id: "d", tool: "date", input: {} },
      ]);
    const first = await world.with({}, all, odd);
    const again = await world.with({}, all, odd);
    expect(again.map(({ text }) => text)).toEqual(first.map(({ text }) => text));
    expect(again.map(({ failure }) => failure?.code)).toEqual(["layer_broke", "invalid_output", undefined]);
    expect(again[2]?.value).toEqual({ at: "1970-01-01T00:00:00.000Z" });
  });

  it("is validated against the output schema when it is replayed", async () => {
    await world.record(["one"]);
    const text = world.text.replace('"length": 3', '"length": "three"');
    writeFileSync(world.path, text);
    const strict = world.look({
      output: { type: "object", properties: { length: { type: "integer" } }, required: ["length"] },
    });
    const [reply] = await world.with({ match: "by-arguments" }, (haft) => haft.turn(lookCalls("one")), [
      strict,
    ]);
    expect(reply?.failure?.code).toBe("invalid_output");
  });

  it("is copied for every caller", async () => {
    await world.record(["one"]);
    await world.with({ match: "by-arguments", repeat: true }, async (haft) => {
      const [first] = await haft.turn(lookCalls("one"));
      (first?.value as { length: number }).length = 99;
      const [second] = await haft.turn(lookCalls("one"));
      expect(second?.value).toEqual({ word: "one", length: 3 });
    });
  });

  it("is not used for a call that the policy refuses", async () => {
    await world.record(["one"]);
    await using tape = cassette(world.path, { match: "by-arguments" });
    await using haft = await Haft.open({
      principal: { agent: "x", allow: [] },
      tools: [world.look()],
      layers: [tape.layer],
    });
    const [reply] = await haft.turn(lookCalls("one"));
    expect(reply?.failure?.code).toBe("not_visible");
    expect(tape.report.answered).toBe(0);
  });
});
