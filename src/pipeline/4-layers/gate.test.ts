import { it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { TestClock } from "effect/testing";
import { Haft, tool } from "haft";
import { runtimeLayer, Tools } from "haft/effect";
import { type AuthorizedCall, timeout } from "haft/layers";
import { describe, expect } from "vitest";
import { payCall as call, createPayTool } from "../../../test/kit/pay-tool.ts";
import { callChangingLayer } from "../../../test/kit/test-layers.ts";

const principal = { agent: "tester", allow: ["*"] };

describe("a layer that hands on another call than the one that was granted", () => {
  it.each<[string, (one: AuthorizedCall) => object]>([
    ["caller", ({ principal }) => ({ principal: { ...principal } })],
    ["request", ({ request }) => ({ request: { ...request } })],
    ["name", ({ registration }) => ({ registration: { ...registration, key: "other" } })],
    ["spec", ({ spec }) => ({ spec: { ...spec, annotations: { idempotent: true } } })],
    ["registration, which is missing", () => ({ registration: undefined })],
    ["copy of the grant", ({ grant }) => ({ grant: { ...grant } })],
    ["grant, which is null", () => ({ grant: null })],
    ["grant, which is missing", () => ({ grant: undefined })],
    ["grant, which is a number", () => ({ grant: 5 })],
    ["grant and registration, which are missing", () => ({ grant: undefined, registration: undefined })],
  ])("starts nothing, with another %s, and the failure says why", async (_, other) => {
    const { pay, paid } = createPayTool(callChangingLayer((one) => ({ ...one, ...other(one) })));
    const haft = await Haft.open({ tools: [pay], principal });
    const [reply] = await haft.turn([call]);
    expect(reply?.failure).toMatchObject({
      code: "denied",
      ran: false,
      detail: "a layer changed who calls, what is called, or the grant",
    });
    expect((await haft.log())[0]).toMatchObject({ ending: "failed", code: "denied", ran: false });
    expect(paid).toEqual([]);
  });

  it("starts the code with the arguments that the layer chose, where they are allowed, and both are on record", async () => {
    const { pay, paid } = createPayTool(callChangingLayer((one) => ({ ...one, input: { amount: 2 } })));
    const haft = await Haft.open({ tools: [pay], principal });
    expect((await haft.turn([call]))[0]?.ok).toBe(true);
    expect(paid).toEqual([2]);
    expect((await haft.log())[0]).toMatchObject({ input: call.input, ranWith: '{"amount":2}' });
  });

  it("that has the same arguments leaves an entry that names them once", async () => {
    const { pay, paid } = createPayTool(callChangingLayer((one) => ({ ...one })));
    const haft = await Haft.open({ tools: [pay], principal });
    await haft.turn([call]);
    const [entry] = await haft.log();
    expect([paid, entry?.input, entry?.ranWith]).toEqual([[1], call.input, undefined]);
  });
});

describe("two time limits right outside of the gate", () => {
  for (const [order, layers] of [
    ["the shorter first", [timeout("1 second"), timeout("2 seconds")]],
    ["the longer first", [timeout("2 seconds"), timeout("1 second")]],
  ] as const) {
    it.effect(`end the code when the shorter is over, with ${order}`, () => {
      const stuck = tool({ name: "pay", description: "Hangs", input: [], run: () => new Promise(() => {}) });
      return Effect.gen(function* () {
        const tools = yield* Tools;
        const turn = yield* Effect.forkChild(tools.turn([{ ...call, input: "{}" }]));
        yield* TestClock.adjust("999 millis");
        expect(turn.pollUnsafe()).toBeUndefined();
        yield* TestClock.adjust("1 millis");
        const [reply] = yield* Fiber.join(turn);
        expect(reply?.failure).toMatchObject({ code: "timed_out", ran: true });
      }).pipe(Effect.provide(runtimeLayer({ tools: [stuck.layer(...layers)], principal })));
    });
  }
});
