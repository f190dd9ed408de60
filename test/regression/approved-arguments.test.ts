import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { Haft, tool } from "haft";
import { CurrentPrincipal, runtimeLayer, Tools } from "haft/effect";
import { approval, authorize, cache, type ToolLayer } from "haft/layers";
import { describe, expect, it } from "vitest";
import { memoryLedger } from "../../src/ledger/memory.ts";
import { LedgerError } from "../../src/types/errors.ts";
import { callChangingLayer } from "../kit/test-layers.ts";

const principal = { agent: "tester", allow: ["*"] };
const amount = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] } as const;
const call = { id: "1", tool: "pay", input: '{"amount":1}' };

const payer = () => {
  const paid: number[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays",
    input: amount,
    run: ({ amount }) => paid.push(amount),
  });
  return { pay, paid };
};

const atMost = (most: number): ToolLayer =>
  authorize(({ input }) => ({ kind: (input as { amount: number }).amount <= most ? "allow" : "deny" }));
const sends = (input: unknown): ToolLayer => callChangingLayer((one) => ({ ...one, input }));

describe("an approval", () => {
  it("of one input does not cover another input that a layer passes on", async () => {
    const { pay, paid } = payer();
    const asking = approval({ reason: "money" });
    const haft = await Haft.open({
      tools: [pay.layer(sends({ amount: 5_000 }), asking)],
      principal,
      approver: () => ({ kind: "allow" }),
    });
    expect((await haft.turn([call]))[0]?.failure?.code).toBe("approval_required");
    expect(paid).toEqual([]);
  });

  it("that a layer denies is also denied for a rewritten and for an edited input", async () => {
    const { pay, paid } = payer();
    const rewritten = await Haft.open({
      tools: [pay.layer(sends({ amount: 5_000 }), atMost(100))],
      principal,
    });
    expect((await rewritten.turn([call]))[0]?.failure?.code).toBe("approval_denied");
    const edited = await Haft.open({
      tools: [pay.layer(atMost(100), approval({ reason: "money" }))],
      principal,
      approver: () => ({ kind: "edit", input: { amount: 5_000 } }),
    });
    expect((await edited.turn([call]))[0]?.failure?.code).toBe("approval_denied");
    expect(paid).toEqual([]);
  });

  it("cannot be given after the tool is unregistered or the runtime is closed", async () => {
    for (const end of [(haft: Haft) => haft.unregister("pay"), (haft: Haft) => haft.close()]) {
      const { pay, paid } = payer();
      const haft = await Haft.open({ tools: [pay.layer(approval())], principal, approver: () => undefined });
      const [reply] = await haft.turn([call]);
      await end(haft as unknown as Haft);
      const answer = await haft
        .resume(reply?.pending?.id ?? "", { kind: "allow" })
        .catch((error: unknown) => error);
      expect(answer).not.toMatchObject({ ok: true });
      expect(paid).toEqual([]);
    }
  });

  it("that cannot be recorded fails the call, which has not run", async () => {
    const { pay, paid } = payer();
    const ids: string[] = [];
    const memory = memoryLedger({ redactor: { value: (value) => value, text: (text) => text } });
    const ledger = { ...memory, close: () => Effect.fail(new LedgerError("ledger_unavailable", "full")) };
    const approver = ({ id }: { readonly id: string }) => void ids.push(id);
    const haft = await Haft.open({ tools: [pay.layer(approval())], principal, ledger, approver });
    const [reply] = await haft.turn([call]);
    expect(reply?.failure).toMatchObject({ code: "ledger_unavailable", ran: false });
    await expect(haft.resume(ids[0] ?? "", { kind: "allow" })).rejects.toMatchObject({
      code: "unknown_approval",
    });
    expect(paid).toEqual([]);
  });
});

describe("the gate", () => {
  it("detects a permit that a layer forged, and never runs other code or another tool", async () => {
    const { pay, paid } = payer();
    const { pay: other, paid: paidByOther } = payer();
    const forged = callChangingLayer((one) => ({
      ...one,
      input: { amount: -1 },
      grant: { ...one.grant, input: { amount: -1 } },
    }));
    const swapped = callChangingLayer((one) => ({ ...one, run: () => Effect.succeed(paid.push(99)) }));
    const moved = callChangingLayer((one) => ({
      ...one,
      registration: { ...one.registration, tool: other },
    }));
    const renamed = callChangingLayer((one) => ({
      ...one,
      registration: { ...one.registration, key: "other" },
    }));
    const turn = async (layer: ToolLayer) => {
      const haft = await Haft.open({ tools: [pay.layer(layer)], principal });
      return (await haft.turn([call]))[0]!;
    };
    for (const layer of [forged, renamed]) expect((await turn(layer)).failure?.code).toBe("denied");
    expect(paid).toEqual([]);
    for (const layer of [swapped, moved]) expect((await turn(layer)).ok).toBe(true);
    expect([paid, paidByOther]).toEqual([[1, 1], []]);
  });
});

describe("rights", () => {
  it("of the runtime's principal are not given to a tool that calls another tool for a weaker caller", () => {
    const secret = tool({ name: "secret", description: "Secret", input: [], run: () => "secret" });
    const ask = tool({
      name: "ask",
      description: "Asks another tool",
      input: [],
      run: () =>
        Effect.flatMap(Tools, (tools) =>
          Effect.match(tools.call("secret", {}), { onSuccess: String, onFailure: ({ code }) => code }),
        ),
    });
    const program = Effect.gen(function* () {
      const tools = yield* Tools;
      const inner = Effect.provideService(tools.call("ask", {}), Tools, tools);
      expect(yield* Effect.provideService(inner, CurrentPrincipal, { agent: "weak", allow: ["ask"] })).toBe(
        "not_visible",
      );
    });
    return Effect.runPromise(
      Effect.provide(program, runtimeLayer({ tools: [secret, ask], principal })) as Effect.Effect<void>,
    );
  });

  it("and the env of a call are part of the cache key", async () => {
    const who = tool({
      name: "who",
      description: "Says who",
      input: [],
      annotations: { readOnly: true },
      run: (_, { env, principal: { roles } }) => [env, roles],
    }).layer(cache());
    const haft = await Haft.open({ tools: [who], principal });
    const seen = [
      await haft.call("who", {}, { env: { user: "ada" } }),
      await haft.call("who", {}, { env: { user: "bob" } }),
      await haft.as({ ...principal, roles: ["admin"] }).call("who", {}),
      await haft.call("who", {}),
    ];
    expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(4);
  });
});

describe("a turn whose caller was interrupted", () => {
  it("starts none of its queued calls, and records all of them", async () => {
    const started: string[] = [];
    const slow = tool({
      name: "slow",
      description: "Slow",
      input: [],
      run: (_, { callId }) =>
        Effect.andThen(
          Effect.sync(() => started.push(callId)),
          Effect.never,
        ),
    });
    const ledger = memoryLedger({ redactor: { value: (value) => value, text: (text) => text } });
    const program = Effect.gen(function* () {
      const tools = yield* Tools;
      const calls = ["a", "b", "c"].map((id) => ({ id, tool: "slow", input: "{}" }));
      const turn = yield* Effect.forkChild(tools.turn(calls, { maxConcurrency: 1 }), {
        startImmediately: true,
      });
      yield* Fiber.interrupt(turn);
      return yield* ledger.entries();
    });
    const rows = await Effect.runPromise(
      Effect.provide(program, runtimeLayer({ tools: [slow], principal, ledger })),
    );
    expect(started).toEqual(["a"]);
    expect(rows.map((row) => row.code)).toEqual(["cancelled", "cancelled", "cancelled"]);
  });
});
