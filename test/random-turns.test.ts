import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { TestClock } from "effect/testing";
import fc from "fast-check";
import { final, handoff, rewrite, tool } from "haft";
import { runtimeLayer, Tools } from "haft/effect";
import { breaker, cache, limit, retry, runContext, type ToolLayer, tap, timeout, trace } from "haft/layers";
import { expect, it } from "vitest";
import { memoryLedger } from "../src/ledger/memory.ts";
import type { LedgerStore } from "../src/types/ledger.ts";
import { callChangingLayer } from "./kit/test-layers.ts";

const input = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;

/** What each kind of call does. Denied, invalid and unknown calls must never get here. */
const behaviors: Record<string, (n: number) => unknown> = {
  good: (n) => n,
  promised: (n) => Promise.resolve(n),
  slow: (n) => Effect.as(Effect.sleep(n * 10), n),
  endless: () => Effect.never,
  failing: () => Effect.fail(new Error("no")),
  throwing: () => {
    throw new Error("thrown");
  },
  crashing: () => Effect.die("bug"),
  rewriting: (n) => rewrite(n, "before"),
  final: (n) => final(n),
  handoff: () => handoff("other"),
  denied: () => "never",
};
const kinds = [...Object.keys(behaviors), "unknown", "invalid", "unreadable"];

const layerMakers: readonly (() => ToolLayer)[] = [
  () => timeout("1 second"),
  () => retry({ attempts: 3 }),
  () => limit({ concurrency: 2, queue: 3 }),
  () => limit({ rate: "2 per second", queue: 2 }),
  () => breaker({ failures: 2, cooldown: "1 second" }),
  () => cache({ ttl: "1 second" }),
  () => tap({}),
  () => trace(),
  () => runContext({ initial: () => 0, step: (count, _, outcome) => [count + 1, outcome] }),
  () => callChangingLayer((call) => ({ ...call, input: { n: 1 } })),
];

const turns = fc.record({
  calls: fc.array(
    fc.record({ kind: fc.constantFrom(...kinds), n: fc.integer({ min: 0, max: 300 }), same: fc.boolean() }),
    {
      maxLength: 10,
    },
  ),
  toolLayers: fc.array(fc.nat(layerMakers.length - 1), { maxLength: 3 }),
  runLayers: fc.array(fc.nat(layerMakers.length - 1), { maxLength: 3 }),
  maxConcurrency: fc.constantFrom(1, 2, 100),
  join: fc.constantFrom("all" as const, "fail-fast" as const),
  /** When the turn is cancelled, in steps of virtual time; often never. */
  abortAt: fc.oneof(fc.constant(undefined), fc.nat(4)),
  readOnly: fc.boolean(),
});

/** Counts opened and closed entries, and throws if an entry is opened or closed twice. */
const countingLedger = () => {
  const state = new Map<string, "open" | "closed">();
  const inner = memoryLedger({ redactor: { value: (value) => value, text: (text) => text }, keep: 10 });
  const store: LedgerStore = {
    ...inner,
    open: (opening) => {
      if (state.has(opening.entryId)) throw new Error(`opened twice: ${opening.entryId}`);
      state.set(opening.entryId, "open");
      return inner.open(opening);
    },
    close: (closing) => {
      if (state.get(closing.entryId) !== "open") throw new Error(`closed twice: ${closing.entryId}`);
      state.set(closing.entryId, "closed");
      return inner.close(closing);
    },
  };
  return { store, state };
};

const play = (turn: typeof turns extends fc.Arbitrary<infer Turn> ? Turn : never) =>
  Effect.gen(function* () {
    const { store, state } = countingLedger();
    const ran: string[] = [];
    const make = (choices: readonly number[]) => choices.map((choice) => layerMakers[choice]!());
    const tools = Object.entries(behaviors).map(([name, behave]) =>
      tool({
        name,
        description: `Is ${name}`,
        input,
        annotations: { readOnly: turn.readOnly },
        run: ({ n }) => {
          ran.push(name);
          return behave(n);
        },
      }).layer(...make(turn.toolLayers)),
    );
    const calls = turn.calls.map(({ kind, n, same }, index) => ({
      id: same ? "same" : `call-${index}`,
      tool: kind === "invalid" || kind === "unreadable" ? "good" : kind,
      input: kind === "invalid" ? '{"n":"x"}' : kind === "unreadable" ? "{n" : JSON.stringify({ n }),
    }));
    const abort = new AbortController();
    const service = yield* Effect.provide(
      Tools,
      runtimeLayer({ tools, ledger: store, principal: { agent: "fuzz", allow: ["*"], deny: ["denied"] } }),
    );
    const fiber = yield* Effect.forkChild(
      service.turn(calls, {
        layers: make(turn.runLayers),
        maxConcurrency: turn.maxConcurrency,
        join: turn.join,
        signal: abort.signal,
      }),
    );
    for (let step = 0; step < 40 && fiber.pollUnsafe() === undefined; step++) {
      if (step === turn.abortAt) abort.abort();
      // Promises settle outside of virtual time.
      yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)));
      yield* TestClock.adjust(step < 10 ? "700 millis" : "1 minute");
    }
    const replies = yield* Fiber.join(fiber);
    expect(replies.map((reply) => reply.id)).toEqual([...new Set(calls.map((call) => call.id))]);
    expect(state.size).toBe(calls.length);
    expect([...state.values()].every((entry) => entry === "closed")).toBe(true);
    expect(ran).not.toContain("denied");
    const denied = replies.filter(
      (reply) => reply.tool === "denied" && reply.failure?.code !== "not_answered",
    );
    expect(denied.every((reply) => ["not_visible", "cancelled"].includes(reply.failure?.code ?? "ok"))).toBe(
      true,
    );
    expect((yield* store.entries({ ending: "open" })).length).toBe(0);
  }).pipe(Effect.provide(TestClock.layer()), Effect.scoped);

const heap = (): number => {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
};

it("over 2,000 random turns each id gets one reply in order, entries open and close once, and memory returns to base", async () => {
  const run = (numRuns: number, seed?: number) =>
    fc.assert(
      fc.asyncProperty(turns, (turn) => Effect.runPromise(play(turn))),
      { numRuns, ...(seed === undefined ? {} : { seed }) },
    );
  await run(200);
  const before = heap();
  await run(1_800);
  const grown = (heap() - before) / 1_048_576;
  expect(grown).toBeLessThan(6);
});
