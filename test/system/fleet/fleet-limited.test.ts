import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { TestClock } from "effect/testing";
import { describe, expect, it } from "vitest";
import { limit } from "../../../src/pipeline/layers/limit.ts";
import { type Outcome, succeeded } from "../../../src/types/outcome.ts";
import type { Handler } from "../../../src/types/tool.ts";
import { createTestCall } from "../../contracts/test-call.ts";
import { runWithTestClock, testLayerLaws } from "../../contracts/test-layer-laws.ts";
import { sharedLimitsScene, storeUnavailable } from "../kit/shared-limits-scene.ts";

const answer: Handler = () => Effect.succeed(succeeded("in"));
const shared = () => limit({ scope: "fleet", name: "crm", concurrency: 5, rate: "50 per second" });

testLayerLaws("limit across a fleet", () => sharedLimitsScene().within(shared()));

describe("rate limit with scope fleet", () => {
  it("rejects every call in a runtime without a fleet, and names the missing option", async () => {
    const outcome = await runWithTestClock(shared()(answer)(createTestCall()));
    expect(outcome).toMatchObject({ failure: { code: "layer_broke", ran: false } });
    expect(JSON.stringify(outcome)).toContain("fleet: fleet()");
  });

  it("rejects calls while the store is unavailable", async () => {
    const { within } = sharedLimitsScene({ take: () => storeUnavailable });
    const outcome = await runWithTestClock(within(shared())(answer)(createTestCall()));
    expect(outcome).toMatchObject({ failure: { code: "overloaded", ran: false } });
  });

  it("batches the calls that arrive during a request to the store", async () => {
    const asked: number[] = [];
    const gate = Deferred.makeUnsafe<void>();
    const { within } = sharedLimitsScene({
      take: (_, { wanted }) => {
        asked.push(wanted);
        const grant = { granted: wanted, retryMs: 100 };
        return asked.length === 1 ? Effect.as(Deferred.await(gate), grant) : Effect.succeed(grant);
      },
    });
    await runWithTestClock(
      Effect.gen(function* () {
        const handler = within(limit({ scope: "fleet", name: "crm", rate: "50 per second" }))(answer);
        const calls = yield* Effect.forEach(["1", "2", "3", "4"], (id) =>
          Effect.forkChild(handler(createTestCall({ id })), { startImmediately: true }),
        );
        yield* Deferred.succeed(gate, undefined);
        yield* TestClock.adjust("1 second");
        yield* Effect.forEach(calls, Fiber.join);
      }),
    );
    expect(asked).toEqual([1, 3]);
  });

  it("returns a start whose call was interrupted", async () => {
    const gate = Deferred.makeUnsafe<void>();
    const returned: number[] = [];
    const { within } = sharedLimitsScene({
      take: (_, take) => {
        returned.push(take.returned);
        return Effect.as(Deferred.await(gate), { granted: take.wanted, retryMs: 100 });
      },
    });
    await runWithTestClock(
      Effect.gen(function* () {
        const call = yield* Effect.forkChild(within(shared())(answer)(createTestCall()), {
          startImmediately: true,
        });
        yield* Fiber.interrupt(call);
        yield* Deferred.succeed(gate, undefined);
        yield* TestClock.adjust("1 second");
      }),
    );
    expect(returned.slice(0, 2)).toEqual([0, 1]);
  });

  it("returns starts that were granted too long ago, so that they do not burst", async () => {
    let asked = 0;
    const started: number[] = [];
    const { within, takes } = sharedLimitsScene({
      take: (_, take) => {
        takes.push(take);
        const grant = Effect.succeed({ granted: take.wanted, retryMs: 100 });
        return ++asked === 1 ? Effect.delay(grant, "200 millis") : grant;
      },
    });
    await runWithTestClock(
      Effect.gen(function* () {
        const handler = within(limit({ scope: "fleet", name: "crm", rate: "50 per second" }))(() => {
          started.push(asked);
          return Effect.succeed(succeeded("in"));
        });
        const call = yield* Effect.forkChild(handler(createTestCall()), { startImmediately: true });
        yield* TestClock.adjust("1 second");
        yield* Fiber.join(call);
      }),
    );
    expect(started).toEqual([2]);
    expect(takes[1]).toMatchObject({ wanted: 1, returned: 1 });
  });

  it("renews what it holds before it expires", async () => {
    const { within, takes } = sharedLimitsScene();
    await runWithTestClock(
      Effect.gen(function* () {
        const gate = yield* Deferred.make<Outcome>();
        const handler = within(limit({ scope: "fleet", name: "crm", concurrency: 1 }))(() =>
          Deferred.await(gate),
        );
        const call = yield* Effect.forkChild(handler(createTestCall()), { startImmediately: true });
        yield* TestClock.adjust("5 seconds");
        expect(takes.slice(1).map(({ holding }) => holding)).toEqual([1, 1]);
        yield* Deferred.succeed(gate, succeeded("out"));
        yield* Fiber.join(call);
        yield* TestClock.adjust("1 second");
        expect(takes.at(-1)).toMatchObject({ holding: 0, wanted: 0 });
      }),
    );
  });

  it.each([
    [{ scope: "fleet" }, "needs a `name`"],
    [{ scope: "fleet", name: "a b" }, "needs a `name`"],
    [{ name: "crm" }, 'only used with scope "fleet"'],
    [{ scope: "galaxy" }, '"process" or "fleet"'],
  ])("rejects %j", (options, said) => {
    expect(() => limit(options as never)).toThrow(said);
  });
});
