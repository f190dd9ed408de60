import { it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { TestClock } from "effect/testing";
import { type CallContext, tool } from "haft";
import { Events, Ledger, runtimeLayer, Tools } from "haft/effect";
import { type ToolLayer, timeout } from "haft/layers";
import { describe, expect } from "vitest";

const principal = { agent: "tester", allow: ["*"] };
const call = { id: "1", tool: "work", input: "{}" };

/** Starts the code a second time, whatever the first outcome is. */
const twice: ToolLayer = (next) => (one) => Effect.flatMap(next(one), () => next(one));

/** An idempotent tool with a timeout of one second. `start` receives the number of the attempt. */
const worker = (
  start: (number: number, context: CallContext) => unknown,
  ...layers: readonly ToolLayer[]
) => {
  let starts = 0;
  return tool({
    name: "work",
    description: "Works",
    input: [],
    timeout: "1 second",
    annotations: { idempotent: true },
    run: (_, context) => start(++starts, context),
  }).layer(...layers);
};

describe("code that timed out and was started again", () => {
  it.effect("ignores notes, costs, progress and the value of the first attempt", () => {
    const first = Promise.withResolvers<unknown>();
    const second = Promise.withResolvers<unknown>();
    const contexts: CallContext[] = [];
    const work = worker((number, context) => {
      contexts.push(context);
      return (number === 1 ? first : second).promise;
    }, twice);
    const received: unknown[] = [];
    return Effect.gen(function* () {
      const tools = yield* Tools;
      const ledger = yield* Ledger;
      (yield* Events).on("tools.progress", ({ update }) => received.push(update));
      const turn = yield* Effect.forkChild(tools.turn([call]));
      yield* TestClock.adjust("1 second");
      expect(contexts.map(({ signal }) => signal.aborted)).toEqual([true, false]);
      for (const [index, context] of contexts.entries()) {
        context.note(`note ${index + 1}`);
        context.cost(index + 1);
        context.progress(`progress ${index + 1}`);
      }
      first.resolve("late");
      yield* Effect.promise(() => first.promise);
      second.resolve("in time");
      const [reply] = yield* Fiber.join(turn);
      expect(reply).toMatchObject({ ok: true, value: "in time" });
      const [entry] = yield* ledger.entries();
      expect(entry).toMatchObject({ notes: ["note 2"], cost: 2, ending: "executed" });
      expect(entry?.attempts?.map(({ ending, ran }) => [ending, ran])).toEqual([
        ["unknown", true],
        ["ended", true],
      ]);
      expect(entry?.original).toBeUndefined();
      expect(received).toEqual(["progress 2"]);
    }).pipe(Effect.provide(runtimeLayer({ principal, tools: [work] })));
  });

  it.effect("aborts the signal when the code reads it only after the timeout", () => {
    const contexts: CallContext[] = [];
    const effectful = worker((_, context) => {
      contexts.push(context);
      return Effect.never;
    });
    return Effect.gen(function* () {
      const tools = yield* Tools;
      const turn = yield* Effect.forkChild(tools.turn([call]));
      yield* TestClock.adjust("999 millis");
      expect(turn.pollUnsafe()).toBeUndefined();
      yield* TestClock.adjust("1 millis");
      const [reply] = yield* Fiber.join(turn);
      expect(reply?.failure).toMatchObject({ code: "timed_out", ran: true });
      expect(contexts[0]?.signal.aborted).toBe(true);
    }).pipe(Effect.provide(runtimeLayer({ principal, tools: [effectful] })));
  });
});

describe("uninterruptible code", () => {
  it.effect("receives an aborted signal after the timeout, and its late answer is ignored", () => {
    const end = Promise.withResolvers<unknown>();
    const contexts: CallContext[] = [];
    const deaf = worker((_, context) => {
      contexts.push(context);
      return Effect.uninterruptible(Effect.promise(() => end.promise));
    });
    return Effect.gen(function* () {
      const tools = yield* Tools;
      const ledger = yield* Ledger;
      const turn = yield* Effect.forkChild(tools.turn([call]));
      yield* TestClock.adjust("1 second");
      const [reply] = yield* Fiber.join(turn);
      expect(reply?.failure?.code).toBe("timed_out");
      expect(contexts[0]?.signal.aborted).toBe(true);
      end.resolve("late");
      yield* Effect.promise(() => new Promise((go) => setImmediate(go)));
      expect((yield* ledger.entries())[0]?.attempts).toMatchObject([{ ending: "unknown", ran: true }]);
    }).pipe(Effect.provide(runtimeLayer({ principal, tools: [deaf] })));
  });
});

describe("code whose caller was interrupted", () => {
  for (const [kind, never] of [
    ["a promise", () => new Promise<never>(() => {})],
    ["an Effect", () => Effect.never],
  ] as const) {
    it.effect(`receives an aborted signal and is recorded with an unknown ending, with ${kind}`, () => {
      const contexts: CallContext[] = [];
      const work = worker((_, context) => {
        contexts.push(context);
        return never();
      });
      return Effect.gen(function* () {
        const tools = yield* Tools;
        const ledger = yield* Ledger;
        const turn = yield* Effect.forkChild(tools.turn([call]), { startImmediately: true });
        yield* Fiber.interrupt(turn);
        expect(contexts.map(({ signal }) => signal.aborted)).toEqual([true]);
        const [entry] = yield* ledger.entries();
        expect(entry).toMatchObject({ ending: "failed", code: "cancelled", ran: true });
        expect(entry?.attempts).toMatchObject([{ ending: "unknown", ran: true }]);
      }).pipe(Effect.provide(runtimeLayer({ principal, tools: [work] })));
    });
  }
});

describe("code that answered in time", () => {
  for (const [kind, answer] of [
    ["a promise", () => Promise.resolve("done")],
    ["an Effect", () => Effect.succeed("done")],
    ["a value", () => "done"],
  ] as const) {
    it.effect(`never receives an aborted signal, with ${kind}`, () => {
      const contexts: CallContext[] = [];
      const work = worker((_, context) => {
        contexts.push(context);
        return answer();
      });
      return Effect.gen(function* () {
        const tools = yield* Tools;
        const [reply] = yield* tools.turn([call]);
        expect(reply).toMatchObject({ ok: true, value: "done" });
        yield* TestClock.adjust("1 minute");
        expect(contexts[0]?.signal.aborted).toBe(false);
      }).pipe(Effect.provide(runtimeLayer({ principal, tools: [work] })));
    });
  }
});

describe("timeout of a tool", () => {
  const stuck = worker(() => new Promise<never>(() => {}));
  const millisOf = (execution: object, ...layers: readonly ToolLayer[]) =>
    Effect.gen(function* () {
      const tools = yield* Tools;
      const turn = yield* Effect.forkChild(tools.turn([call]));
      let millis = 0;
      for (; turn.pollUnsafe() === undefined; millis += 100) yield* TestClock.adjust("100 millis");
      const [reply] = yield* Fiber.join(turn);
      expect(reply?.failure).toMatchObject({ code: "timed_out", ran: true });
      return millis;
    }).pipe(
      Effect.provide(runtimeLayer({ principal, tools: [stuck.layer(...layers)], config: { execution } })),
    );

  it.effect("is the timeout of the spec, limited by the maximum of the operator", () =>
    Effect.gen(function* () {
      expect(yield* millisOf({ defaultTimeoutMs: 300, maxTimeoutMs: 5_000 })).toBe(1_000);
      expect(yield* millisOf({ defaultTimeoutMs: 300, maxTimeoutMs: 500 })).toBe(500);
    }),
  );

  it.effect("is lowered but never raised by a timeout layer", () =>
    Effect.gen(function* () {
      expect(yield* millisOf({}, timeout("5 seconds"))).toBe(1_000);
      expect(yield* millisOf({}, timeout("400 millis"))).toBe(400);
    }),
  );
});
