import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { TestClock } from "effect/testing";
import { describe, expect, it } from "vitest";
import { effectOf } from "../../../test/kit/effect-of.ts";
import { tool } from "../../tools/tool.ts";
import type { CallContext } from "../../types/call.ts";
import { final, handoff } from "../../types/outcome.ts";
import type { AnyTool } from "../../types/tool.ts";
import { variants } from "../variants.ts";
import type { ShadowOptions, VariantComparison } from "./shadow.ts";

type Code = (input: never, context: CallContext) => unknown;

const reading = (run: Code, annotations: object = { readOnly: true }): AnyTool =>
  tool({ name: "look", description: "Looks.", input: { type: "object" }, annotations, run } as never);

const shadowing = (a: Code, b: Code, more: Partial<ShadowOptions<"a" | "b">> = {}) => {
  const reported: VariantComparison[] = [];
  const made = variants(
    { a: reading(a), b: reading(b) },
    { shadow: { answer: "a", compare: "b", onCompared: (each) => void reported.push(each), ...more } },
  );
  const run = made.implementation.bind(made.spec);
  const notes: string[] = [];
  const controller = new AbortController();
  const context = {
    callId: "call-1",
    tool: "look",
    signal: controller.signal,
    principal: { agent: "demo" },
    idempotencyKey: "key",
    env: undefined,
    progress: () => {
      throw new Error("nobody asked");
    },
    note: (text: string) => void notes.push(text),
    cost: () => {},
    secret: async () => "",
  };
  const call = (): Effect.Effect<unknown, unknown> => effectOf(run({}, context) as never) as never;
  return { call, reported, notes };
};

const later =
  (millis: number, value: unknown): Code =>
  () =>
    Effect.as(Effect.sleep(millis), value);
const inTime = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, TestClock.layer()) as Effect.Effect<A, E>);

describe("shadow variant", () => {
  it("runs too, and both results are compared as JSON", async () => {
    const { call, reported, notes } = shadowing(
      () => ({ x: 1, y: [2] }),
      () => ({ y: [2], x: 1, z: undefined }),
    );
    await inTime(
      Effect.gen(function* () {
        expect(yield* call()).toEqual({ x: 1, y: [2] });
        yield* TestClock.adjust(1);
      }),
    );
    expect(reported).toMatchObject([
      {
        callId: "call-1",
        tool: "look",
        equal: true,
        answer: { variant: "a", ok: true },
        compared: { variant: "b" },
      },
    ]);
    expect(notes).toEqual(['variant: "a", compared with "b"']);
  });

  it("does not delay the answer and is reported when it finishes", async () => {
    const { call, reported } = shadowing(later(10, "fast"), later(5_000, "slow"));
    await inTime(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(call());
        yield* TestClock.adjust(10);
        expect(yield* Fiber.join(fiber)).toBe("fast");
        expect(reported).toEqual([]);
        yield* TestClock.adjust(5_000);
      }),
    );
    expect(reported).toMatchObject([
      {
        equal: false,
        answer: { value: "fast", durationMs: 10 },
        compared: { value: "slow", durationMs: 5_000 },
      },
    ]);
  });

  it("is stopped and reported after its timeout", async () => {
    let signal: AbortSignal | undefined;
    const never: Code = (_, context) => {
      signal = context.signal;
      return new Promise(() => {});
    };
    const { call, reported } = shadowing(() => "a", never, { timeout: "2 seconds" });
    await inTime(
      Effect.gen(function* () {
        expect(yield* call()).toBe("a");
        yield* TestClock.adjust("1 second");
        expect(signal?.aborted).toBe(false);
        yield* TestClock.adjust("1 second");
      }),
    );
    expect(signal?.aborted).toBe(true);
    expect(reported).toMatchObject([
      { equal: false, compared: { ok: false, error: "it did not finish in time" } },
    ]);
  });

  it.each<readonly [string, Code]>([
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no"))],
    ["fails", () => Effect.fail(new Error("no"))],
    ["dies", () => Effect.die(new Error("no"))],
  ])("that %s does not affect the answer", async (_, failing) => {
    const { call, reported } = shadowing(() => "a", failing);
    await inTime(
      Effect.gen(function* () {
        expect(yield* call()).toBe("a");
        yield* Effect.promise(() => Promise.resolve());
        yield* TestClock.adjust(1);
      }),
    );
    expect(reported).toMatchObject([
      { equal: false, answer: { ok: true }, compared: { ok: false, error: "no" } },
    ]);
  });

  it("is also compared with a failed answer, which stays a failure", async () => {
    const { call, reported } = shadowing(
      () => Effect.fail("a failed"),
      () => Effect.fail("b failed"),
    );
    await inTime(
      Effect.gen(function* () {
        expect(yield* Effect.flip(call())).toBe("a failed");
        yield* TestClock.adjust(1);
      }),
    );
    expect(reported).toMatchObject([
      { equal: true, answer: { error: "a failed" }, compared: { error: "b failed" } },
    ]);
  });

  it("is cancelled with the call", async () => {
    const stopped: string[] = [];
    const endless =
      (name: string): Code =>
      () =>
        Effect.onInterrupt(Effect.never, () => Effect.sync(() => void stopped.push(name)));
    const { call, reported } = shadowing(endless("a"), endless("b"));
    await inTime(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(call());
        yield* TestClock.adjust(1);
        yield* Fiber.interrupt(fiber);
        yield* TestClock.adjust("1 hour");
      }),
    );
    expect(stopped.sort()).toEqual(["a", "b"]);
    expect(reported).toEqual([]);
  });

  it("receives cancellation through its signal", async () => {
    let signal: AbortSignal | undefined;
    const { call } = shadowing(
      () => Effect.never,
      (_, context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
    );
    await inTime(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(call());
        yield* TestClock.adjust(1);
        expect(signal?.aborted).toBe(false);
        yield* Fiber.interrupt(fiber);
      }),
    );
    expect(signal?.aborted).toBe(true);
  });

  it("supports a custom isEqual, and a throwing onCompared does not affect the answer", async () => {
    const { call } = shadowing(
      () => 1,
      () => 2,
      {
        onCompared: () => {
          throw new Error("broken");
        },
      },
    );
    const near = shadowing(
      () => 1,
      () => 1.01,
      {
        isEqual: (one, other) => Math.abs(Number(one) - Number(other)) < 0.1,
      },
    );
    await inTime(
      Effect.gen(function* () {
        expect(yield* call()).toBe(1);
        expect(yield* near.call()).toBe(1);
        yield* TestClock.adjust(1);
      }),
    );
    expect(near.reported).toMatchObject([{ equal: true }]);
  });

  it("is compared by the value of an outcome", async () => {
    const { call, reported } = shadowing(
      () => final({ a: 1 }),
      () => ({ a: 1 }),
    );
    const other = shadowing(
      () => handoff("x"),
      () => "y",
    );
    await inTime(
      Effect.gen(function* () {
        expect(yield* call()).toMatchObject({ flow: { kind: "final" } });
        yield* other.call();
        yield* TestClock.adjust(1);
      }),
    );
    expect(reported).toMatchObject([{ equal: true }]);
    expect(other.reported).toMatchObject([{ equal: false }]);
  });

  it("of a cancelled call does not count as running", async () => {
    const { call, reported } = shadowing(later(10, "a"), () => "b");
    await inTime(
      Effect.gen(function* () {
        for (let each = 0; each < 150; each++) {
          const fiber = yield* Effect.forkChild(call(), { startImmediately: true });
          yield* Fiber.interrupt(fiber);
        }
        const last = yield* Effect.forkChild(call());
        yield* TestClock.adjust(10);
        expect(yield* Fiber.join(last)).toBe("a");
        yield* TestClock.adjust(1);
      }),
    );
    expect(reported.length).toBe(1);
  });

  it("is skipped while a hundred are running", async () => {
    let started = 0;
    const { call, notes } = shadowing(
      () => "a",
      () => {
        started++;
        return Effect.never;
      },
    );
    await inTime(
      Effect.gen(function* () {
        for (let each = 0; each < 105; each++) expect(yield* call()).toBe("a");
        yield* TestClock.adjust(1);
        expect(started).toBe(100);
        yield* TestClock.adjust("30 seconds");
        yield* call();
        yield* TestClock.adjust(1);
      }),
    );
    expect(started).toBe(101);
    expect(notes.filter((note) => note.includes("was skipped")).length).toBe(5);
  });
});
