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

describe("layer that changes the call", () => {
  it.each<[string, (one: AuthorizedCall) => object]>([
    ["another caller", ({ principal }) => ({ principal: { ...principal } })],
    ["another request", ({ request }) => ({ request: { ...request } })],
    ["another tool name", ({ registration }) => ({ registration: { ...registration, key: "other" } })],
    ["another spec", ({ spec }) => ({ spec: { ...spec, annotations: { idempotent: true } } })],
    ["a missing registration", () => ({ registration: undefined })],
    ["a copy of the permit", ({ grant }) => ({ grant: { ...grant } })],
    ["a null permit", () => ({ grant: null })],
    ["a missing permit", () => ({ grant: undefined })],
    ["a number as permit", () => ({ grant: 5 })],
    ["a missing permit and registration", () => ({ grant: undefined, registration: undefined })],
  ])("runs nothing and reports denied for %s", async (_, other) => {
    const { pay, paid } = createPayTool(callChangingLayer((one) => ({ ...one, ...other(one) })));
    const haft = await Haft.open({ tools: [pay], principal });
    const [reply] = await haft.turn([call]);
    expect(reply?.failure).toMatchObject({
      code: "denied",
      ran: false,
      detail: "a layer changed the caller, the tool, or the permit",
    });
    expect((await haft.log())[0]).toMatchObject({ ending: "failed", code: "denied", ran: false });
    expect(paid).toEqual([]);
  });

  it("runs the code with the new input when that is allowed, and records both inputs", async () => {
    const { pay, paid } = createPayTool(callChangingLayer((one) => ({ ...one, input: { amount: 2 } })));
    const haft = await Haft.open({ tools: [pay], principal });
    expect((await haft.turn([call]))[0]?.ok).toBe(true);
    expect(paid).toEqual([2]);
    expect((await haft.log())[0]).toMatchObject({ input: call.input, ranWith: '{"amount":2}' });
  });

  it("records the input once when the new call has the same input", async () => {
    const { pay, paid } = createPayTool(callChangingLayer((one) => ({ ...one })));
    const haft = await Haft.open({ tools: [pay], principal });
    await haft.turn([call]);
    const [entry] = await haft.log();
    expect([paid, entry?.input, entry?.ranWith]).toEqual([[1], call.input, undefined]);
  });
});

describe("two timeouts directly around the code", () => {
  for (const [order, layers] of [
    ["the shorter one outermost", [timeout("1 second"), timeout("2 seconds")]],
    ["the longer one outermost", [timeout("2 seconds"), timeout("1 second")]],
  ] as const) {
    it.effect(`stop the code when the shorter one expires, with ${order}`, () => {
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
