import { it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { TestClock } from "effect/testing";
import { Haft, type PolicyEngine } from "haft";
import { runtimeLayer, Tools } from "haft/effect";
import type { ToolLayer } from "haft/layers";
import { describe, expect } from "vitest";
import { createPayTool, payCall } from "./kit/pay-tool.ts";

const principal = { agent: "tester", allow: ["*"] };
const allow = { effect: "allow", ruleIds: [], reason: "the identity service says so" } as const;
const deny = { ...allow, effect: "deny", reason: "it says no" } as const;
const calls = [payCall];

const world = (decide: PolicyEngine["decide"], ...layers: readonly ToolLayer[]) => {
  const { pay, paid } = createPayTool(...layers);
  const policy: PolicyEngine = { visible: () => allow, decide };
  return { paid, options: { tools: [pay], principal, policy } };
};

const later = <A>(value: A) =>
  Effect.as(
    Effect.promise(() => new Promise((go) => setImmediate(go))),
    value,
  );

describe("an asynchronous policy", () => {
  it("lets a call run when it allows it, and refuses the call when it denies it", async () => {
    const { paid, options } = world(({ input }) =>
      later((input as { readonly amount: number }).amount < 5 ? allow : deny),
    );
    const haft = await Haft.open(options);
    const replies = await haft.turn([...calls, { id: "2", tool: "pay", input: '{"amount":9}' }]);
    expect(replies.map(({ failure }) => failure?.code)).toEqual([undefined, "denied"]);
    expect(paid).toEqual([1]);
    expect((await haft.log()).map(({ decision }) => decision)).toEqual([
      expect.stringContaining(allow.reason),
      deny.reason,
    ]);
    await haft.close();
  });

  it.each([
    ["fails", Effect.fail(new Error("no connection"))],
    ["dies", Effect.die(new Error("no connection"))],
    ["returns an invalid decision", Effect.succeed("yes" as never)],
  ])("denies when it %s, and records the reason", async (_, answer) => {
    const { paid, options } = world(() => answer);
    const haft = await Haft.open(options);
    const [reply] = await haft.turn(calls);
    expect(reply?.failure?.code).toBe("denied");
    expect(reply?.text).not.toContain("no connection");
    expect((await haft.log())[0]?.decision).toMatch(
      /the policy (failed: no connection|returned no decision)/,
    );
    expect(paid).toEqual([]);
    await haft.close();
  });

  it.effect("denies when it does not answer within the default time limit", () => {
    const { paid, options } = world(() => Effect.never);
    return Effect.gen(function* () {
      const tools = yield* Tools;
      const turn = yield* Effect.forkChild(tools.turn(calls));
      yield* TestClock.adjust("30 seconds");
      const [reply] = yield* Fiber.join(turn);
      expect(reply?.failure).toMatchObject({ code: "denied", detail: expect.stringContaining("30000 ms") });
      expect(paid).toEqual([]);
    }).pipe(Effect.provide(runtimeLayer(options)));
  });

  it("is not awaited after the call is cancelled, which the entry records", async () => {
    const asked = Promise.withResolvers<void>();
    const { paid, options } = world(() => {
      asked.resolve();
      return Effect.never;
    });
    const haft = await Haft.open(options);
    const stop = new AbortController();
    const turn = haft.turn(calls, { signal: stop.signal });
    await asked.promise;
    stop.abort();
    expect((await turn)[0]?.failure?.code).toBe("cancelled");
    expect((await haft.log())[0]).toMatchObject({ ending: "failed", code: "cancelled", ran: false });
    expect(paid).toEqual([]);
    await haft.close();
  });

  it("decides again at the gate when a layer changed the input", async () => {
    const seen: unknown[] = [];
    const raise: ToolLayer = (next) => (call) => next({ ...call, input: { amount: 9 } });
    const { paid, options } = world(({ input }) => {
      seen.push(input);
      return later((input as { readonly amount: number }).amount < 5 ? allow : deny);
    }, raise);
    const haft = await Haft.open(options);
    expect((await haft.turn(calls))[0]?.failure?.code).toBe("denied");
    expect(seen).toEqual([{ amount: 1 }, { amount: 9 }]);
    expect(paid).toEqual([]);
    await haft.close();
  });

  it("decides again after an approval, with the current rights", async () => {
    let isAllowed = true;
    const asking: PolicyEngine["decide"] = () =>
      later(isAllowed ? ({ ...allow, effect: "approve" } as const) : deny);
    const { paid, options } = world(asking);
    const haft = await Haft.open({ ...options, approver: () => undefined });
    const [first, second] = [await haft.turn(calls), await haft.turn(calls)].map(
      ([reply]) => reply?.pending?.id,
    );
    expect((await haft.resume(first!, { kind: "allow" })).ok).toBe(true);
    isAllowed = false;
    expect((await haft.resume(second!, { kind: "allow" })).failure?.code).toBe("denied");
    expect(paid).toEqual([1]);
    await haft.close();
  });
});
