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

/** Starts the code once more, whatever came of the first time. */
const twice: ToolLayer = (next) => (one) => Effect.flatMap(next(one), () => next(one));

/** An idempotent tool with a second of time, each start of which is given by its number. */
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

describe("code whose time was up and which was started again", () => {
  it.effect("says nothing more with its first context: no note, no cost, no progress, no value", () => {
    const first = Promise.withResolvers<unknown>();
    const second = Promise.withResolvers<unknown>();
    const contexts: CallContext[] = [];
    const work = worker((number, context) => {
      contexts.push(context);
      return (number === 1 ? first : second).promise;
    }, twice);
    const heard: unknown[] = [];
    return Effect.gen(function* () {
      const tools = yield* Tools;
      const ledger = yield* Ledger;
      (yield* Events).on("tools.progress", ({ update }) => heard.push(update));
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
      expect(heard).toEqual(["progress 2"]);
    }).pipe(Effect.provide(runtimeLayer({ principal, tools: [work] })));
  });

  it.effect("hears that it shall stop also where it asks for its signal only then", () => {
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

describe("code that cannot be interrupted", () => {
  it.effect("is told to stop when its time is up, and what it answers then counts for nothing", () => {
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

describe("code whose caller is gone", () => {
  for (const [kind, never] of [
    ["a promise", () => new Promise<never>(() => {})],
    ["an Effect", () => Effect.never],
  ] as const) {
    it.effect(`is told so, with ${kind}, and the entry says that nobody knows what became of it`, () => {
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

describe("code that has answered in time", () => {
  for (const [kind, answer] of [
    ["a promise", () => Promise.resolve("done")],
    ["an Effect", () => Effect.succeed("done")],
    ["a value", () => "done"],
  ] as const) {
    it.effect(`is never told to stop, with ${kind}, also when its time would have been up`, () => {
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

describe("the time that code has", () => {
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

  it.effect("is what its spec names, and less only where the operator allows less", () =>
    Effect.gen(function* () {
      expect(yield* millisOf({ defaultTimeoutMs: 300, maxTimeoutMs: 5_000 })).toBe(1_000);
      expect(yield* millisOf({ defaultTimeoutMs: 300, maxTimeoutMs: 500 })).toBe(500);
    }),
  );

  it.effect("is what a layer around it names only where that is less", () =>
    Effect.gen(function* () {
      expect(yield* millisOf({}, timeout("5 seconds"))).toBe(1_000);
      expect(yield* millisOf({}, timeout("400 millis"))).toBe(400);
    }),
  );
});
