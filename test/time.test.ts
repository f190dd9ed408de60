import { it } from "@effect/vitest";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import type * as Layer from "effect/Layer";
import { TestClock } from "effect/testing";
import { Haft, tool } from "haft";
import { type RuntimeServices, runtimeLayer, Tools } from "haft/effect";
import { timeout } from "haft/layers";
import { describe, expect } from "vitest";

const any = { type: "object" } as const;
const principal = { agent: "tester", allow: ["*"] };

const open = (options: Parameters<typeof runtimeLayer>[0]): Layer.Layer<RuntimeServices, unknown> =>
  runtimeLayer({ principal, ...options });

const codes = (replies: readonly { failure?: { code: string } }[]) =>
  replies.map((reply) => reply.failure?.code ?? "ok");

describe("time", () => {
  it.effect("a tool that hangs or dies does not affect its siblings", () =>
    Effect.gen(function* () {
      const tools = yield* Tools;
      const turn = yield* Effect.forkChild(
        tools.turn(["hang", "die", "fine"].map((name) => ({ id: name, tool: name, input: "{}" }))),
      );
      yield* TestClock.adjust("29 seconds");
      expect(turn.pollUnsafe()).toBeUndefined();
      yield* TestClock.adjust("1 second");
      expect(codes(yield* Fiber.join(turn))).toEqual(["timed_out", "crashed", "ok"]);
    }).pipe(
      Effect.provide(
        open({
          tools: [
            tool({ name: "hang", description: "Hangs", input: any, run: () => Effect.never }),
            tool({ name: "die", description: "Dies", input: any, run: () => Effect.die("x") }),
            tool({ name: "fine", description: "Works", input: any, run: () => 1 }),
          ],
        }),
      ),
    ),
  );

  it.effect("eight calls of 50 ms take 50 ms in one turn, and 400 ms one after another", () => {
    const nap = tool({ name: "nap", description: "Naps", input: any, run: () => Effect.sleep("50 millis") });
    const calls = Array.from({ length: 8 }, (_, index) => ({ id: `${index}`, tool: "nap", input: "{}" }));
    const timed = (maxConcurrency: number) =>
      Effect.gen(function* () {
        const tools = yield* Tools;
        const turn = yield* Effect.forkChild(tools.turn(calls, { maxConcurrency }));
        let millis = 0;
        for (; turn.pollUnsafe() === undefined; millis += 10) yield* TestClock.adjust("10 millis");
        return millis;
      });
    return Effect.gen(function* () {
      expect([yield* timed(8), yield* timed(1)]).toEqual([50, 400]);
    }).pipe(Effect.provide(open({ tools: [nap] })));
  });

  it.effect("the envelope of a call has its duration", () => {
    const started = Deferred.makeUnsafe<void>();
    const nap = tool({
      name: "nap",
      description: "Naps",
      input: any,
      run: () => Effect.andThen(Deferred.succeed(started, undefined), Effect.sleep("50 millis")),
    });
    return Effect.gen(function* () {
      const tools = yield* Tools;
      const input = { toolName: "nap", arguments: {}, agentId: "tester", sessionId: "one" };
      const call = yield* Effect.forkChild(tools.execute(input));
      yield* Deferred.await(started);
      yield* TestClock.adjust("50 millis");
      expect(yield* Fiber.join(call)).toMatchObject({ success: true, executionTimeMs: 50 });
    }).pipe(Effect.provide(open({ tools: [nap] })));
  });

  it.effect("a tool's own timeout is used, up to the operator's maximum", () =>
    Effect.gen(function* () {
      const tools = yield* Tools;
      const calls = ["short", "long"].map((name) => ({ id: name, tool: name, input: "{}" }));
      const turn = yield* Effect.forkChild(tools.turn(calls));
      yield* TestClock.adjust("1 minute");
      const replies = yield* Fiber.join(turn);
      expect(replies.map((reply) => reply.failure?.message)).toEqual([
        'The tool "short" did not answer within 1000 ms.',
        'The tool "long" did not answer within 60000 ms.',
      ]);
    }).pipe(
      Effect.provide(
        open({
          config: { execution: { maxTimeoutMs: 60_000 } },
          tools: [
            tool({
              name: "short",
              description: "Hangs",
              input: any,
              timeout: "1 second",
              run: () => Effect.never,
            }),
            tool({
              name: "long",
              description: "Hangs",
              input: any,
              timeout: "1 hour",
              run: () => Effect.never,
            }),
          ],
        }),
      ),
    ),
  );

  it.effect("a timeout interrupts the work and aborts its signal", () => {
    const seen: string[] = [];
    const stuck = tool({
      name: "stuck",
      description: "Never answers",
      input: any,
      run: (_, { signal }) => new Promise(() => signal.addEventListener("abort", () => seen.push("aborted"))),
    });
    const effectful = tool({
      name: "effectful",
      description: "Never answers",
      input: any,
      run: () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => seen.push("interrupted"))),
    });
    return Effect.gen(function* () {
      const tools = yield* Tools;
      const calls = ["stuck", "effectful"].map((name) => ({ id: name, tool: name, input: "{}" }));
      const turn = yield* Effect.forkChild(tools.turn(calls));
      yield* TestClock.adjust("2 seconds");
      expect(codes(yield* Fiber.join(turn))).toEqual(["timed_out", "timed_out"]);
      expect(seen.sort()).toEqual(["aborted", "interrupted"]);
    }).pipe(
      Effect.provide(
        open({ tools: [stuck.layer(timeout("2 seconds")), effectful.layer(timeout("2 seconds"))] }),
      ),
    );
  });

  it.effect(
    "cancelling work that cannot be interrupted aborts its signal at once, and waits no longer than its timeout",
    () => {
      let reported = false;
      const deaf = tool({
        name: "deaf",
        description: "Cannot be interrupted",
        input: any,
        run: (_, { signal }) => {
          signal.addEventListener("abort", () => {
            reported = true;
          });
          return Effect.uninterruptible(Effect.never);
        },
      });
      return Effect.gen(function* () {
        const tools = yield* Tools;
        const call = yield* Effect.forkChild(tools.call("deaf", {}));
        yield* TestClock.adjust("1 second");
        const giving = yield* Effect.forkChild(Fiber.interrupt(call));
        yield* TestClock.adjust("1 second");
        expect([reported, giving.pollUnsafe()]).toEqual([true, undefined]);
        yield* TestClock.adjust("30 seconds");
        expect(giving.pollUnsafe()).toBeDefined();
      }).pipe(Effect.provide(open({ tools: [deaf] })));
    },
  );

  it.effect("interrupting the caller interrupts the tool and still closes the entry", () => {
    let interrupted = false;
    const work = tool({
      name: "work",
      description: "Works on",
      input: any,
      run: () =>
        Effect.onInterrupt(Effect.never, () =>
          Effect.sync(() => {
            interrupted = true;
          }),
        ),
    });
    return Effect.gen(function* () {
      const tools = yield* Tools;
      const call = yield* Effect.forkChild(tools.call("work", {}));
      yield* TestClock.adjust("1 second");
      yield* Fiber.interrupt(call);
      expect(interrupted).toBe(true);
      const { Ledger } = yield* Effect.promise(() => import("haft/effect"));
      const ledger = yield* Ledger;
      const entries = yield* ledger.entries();
      expect(entries).toMatchObject([
        { tool: "work", ending: "failed", code: "cancelled", durationMs: 1000 },
      ]);
    }).pipe(Effect.provide(open({ tools: [work] })));
  });
});

describe("closing", () => {
  it("waits for running calls and refuses new ones with a typed error", async () => {
    let end: (value: unknown) => void = () => {};
    const slow = tool({
      name: "slow",
      description: "Slow",
      input: any,
      run: () =>
        new Promise((resolve) => {
          end = resolve;
        }),
    });
    const haft = await Haft.open({ tools: [slow], principal });
    const call = haft.call("slow", {});
    const closing = haft.close();
    await expect(haft.call("slow", {})).rejects.toMatchObject({ _tag: "ToolCancelledError" });
    expect((await haft.turn([{ id: "1", tool: "slow", input: "{}" }]))[0]?.failure?.code).toBe("cancelled");
    end("done");
    expect(await call).toBe("done");
    await closing;
  });
});
