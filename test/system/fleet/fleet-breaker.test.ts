import * as Effect from "effect/Effect";
import { TestClock } from "effect/testing";
import { describe, expect, it } from "vitest";
import { breaker } from "../../../src/pipeline/layers/breaker.ts";
import { failed, succeeded } from "../../../src/types/outcome.ts";
import type { SharedBreakerState } from "../../../src/types/shared-limits.ts";
import type { Handler } from "../../../src/types/tool.ts";
import { createTestCall } from "../../contracts/test-call.ts";
import { runWithTestClock, testLayerLaws } from "../../contracts/test-layer-laws.ts";
import { sharedLimitsScene, storeUnavailable } from "../kit/shared-limits-scene.ts";

const well: Handler = () => Effect.succeed(succeeded("in"));
const bad: Handler = () => Effect.succeed(failed({ code: "failed", message: "no", ran: true }));
const shared = () => breaker({ scope: "fleet", name: "crm", failures: 2, cooldown: "30 seconds" });

testLayerLaws("breaker across a fleet", () =>
  sharedLimitsScene().within(breaker({ scope: "fleet", name: "crm" })),
);

describe("circuit breaker with scope fleet", () => {
  it("opens for the fleet after enough failures, and rejects its own calls at once", async () => {
    const { within, reported } = sharedLimitsScene();
    await runWithTestClock(
      Effect.gen(function* () {
        const handler = within(shared())(bad);
        yield* handler(createTestCall());
        expect(reported).toEqual([]);
        yield* handler(createTestCall());
        expect(reported).toEqual(["open crm/get_weather 2"]);
        expect(yield* handler(createTestCall())).toMatchObject({
          failure: { code: "circuit_open", ran: false },
        });
      }),
    );
  });

  it("rejects calls when another worker opened it, and reads the state at most once a second", async () => {
    let reads = 0;
    const states: SharedBreakerState[] = [
      { closedInMs: 0, failures: 0, mayTest: false },
      { closedInMs: 5_000, failures: 7, mayTest: false },
    ];
    const { within } = sharedLimitsScene({
      readBreaker: () => Effect.sync(() => states[Math.min(reads++, 1)]!),
    });
    await runWithTestClock(
      Effect.gen(function* () {
        const handler = within(shared())(well);
        yield* handler(createTestCall());
        yield* handler(createTestCall());
        expect(reads).toBe(1);
        yield* TestClock.adjust("1 second");
        const outcome = yield* handler(createTestCall());
        expect(outcome).toMatchObject({ failure: { code: "circuit_open", retryAfterMs: 5_000 } });
        yield* handler(createTestCall());
        expect(reads).toBe(2);
      }),
    );
  });

  it.each([
    ["well closes it for the fleet", well, "close crm/get_weather"],
    ["badly opens it again", bad, "open crm/get_weather 7"],
  ])("a test call that goes %s", async (_, next, said) => {
    const { within, reported } = sharedLimitsScene({
      readBreaker: () => Effect.succeed({ closedInMs: 0, failures: 7, mayTest: true }),
    });
    await runWithTestClock(within(shared())(next)(createTestCall()));
    expect(reported).toEqual([said]);
  });

  it("counts locally while the store is unavailable", async () => {
    const { within } = sharedLimitsScene({
      readBreaker: () => storeUnavailable,
      openBreaker: () => storeUnavailable,
    });
    await runWithTestClock(
      Effect.gen(function* () {
        const handler = within(shared())(bad);
        yield* handler(createTestCall());
        yield* handler(createTestCall());
        expect(yield* handler(createTestCall())).toMatchObject({ failure: { code: "circuit_open" } });
      }),
    );
  });

  it("rejects every call in a runtime without a fleet", async () => {
    expect(await runWithTestClock(shared()(well)(createTestCall()))).toMatchObject({
      failure: { code: "layer_broke" },
    });
  });
});
