import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { TestClock } from "effect/testing";
import { describe, expect, it } from "vitest";
import { createTestCall } from "../../../test/contracts/test-call.ts";
import { runWithTestClock } from "../../../test/contracts/test-layer-laws.ts";
import { failed, type Outcome, succeeded } from "../../types/outcome.ts";
import type { Handler, ToolLayer } from "../../types/tool.ts";
import { agentContext } from "./agent-context.ts";
import { approval, approvalByEnv } from "./approval.ts";
import { authorize } from "./authorize.ts";
import { breaker } from "./breaker.ts";
import { cache } from "./cache.ts";
import { inputSchema } from "./input-schema.ts";
import { limit } from "./limit.ts";
import { retry } from "./retry.ts";
import { runContext } from "./run-context.ts";
import { tap } from "./tap.ts";
import { timeout } from "./timeout.ts";
import { trace } from "./trace.ts";

const context = {
  initial: () => 0,
  step: (count: number, _: unknown, outcome: Outcome) => [count, outcome] as const,
};

it("labels every built-in layer with its own name", () => {
  const named = {
    agentContext: agentContext(context),
    approval: approval(),
    authorize: authorize(() => ({ kind: "allow" })),
    breaker: breaker(),
    cache: cache(),
    inputSchema: inputSchema(),
    limit: limit(),
    retry: retry(),
    runContext: runContext(context),
    tap: tap({}),
    timeout: timeout("1 second"),
    trace: trace(),
  };
  expect(Object.values(named).map(({ label }) => label)).toEqual(Object.keys(named));
  expect(approvalByEnv().label).toBe("approval");
});

describe("message to the model", () => {
  const bad: Handler = () => Effect.succeed(failed({ code: "failed", message: "no", ran: true }));
  const messageOf = (outcome: Outcome): string => (outcome._tag === "failure" ? outcome.failure.message : "");

  it("gives the remaining seconds of a breaker's cooldown", async () => {
    const answer = Effect.gen(function* () {
      const layer = breaker({ failures: 1, cooldown: "30 seconds" });
      yield* layer(bad)(createTestCall());
      yield* TestClock.adjust("10500 millis");
      return yield* layer(bad)(createTestCall());
    });
    expect(messageOf(await runWithTestClock(answer))).toBe(
      '"get_weather" failed 1 times in a row, so its calls are rejected for now. Try again in 20 s, or use another tool.',
    );
  });

  it("asks to wait for the probe call of a breaker", async () => {
    const answer = Effect.gen(function* () {
      const layer = breaker({ failures: 1, cooldown: "30 seconds" });
      yield* layer(bad)(createTestCall());
      yield* TestClock.adjust("30 seconds");
      const gate = yield* Deferred.make<Outcome>();
      const probe = yield* Effect.forkChild(layer(() => Deferred.await(gate))(createTestCall()), {
        startImmediately: true,
      });
      const refused = yield* layer(bad)(createTestCall());
      yield* Deferred.succeed(gate, succeeded(1));
      yield* Fiber.join(probe);
      return refused;
    });
    const refused = await runWithTestClock(answer);
    expect(messageOf(refused)).toContain("Try again once the call that tests it is back");
    expect(refused).not.toHaveProperty("failure.retryAfterMs");
  });

  const overfull = (layer: ToolLayer) =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<Outcome>();
      const wait: Handler = () => Deferred.await(gate);
      const first = yield* Effect.forkChild(layer(wait)(createTestCall()), { startImmediately: true });
      const refused = yield* layer(wait)(createTestCall());
      yield* Deferred.succeed(gate, succeeded(1));
      yield* Fiber.join(first);
      return refused;
    });

  it("gives the seconds until a rate limit allows a call", async () => {
    const refused = await runWithTestClock(overfull(limit({ rate: "1 per minute", queue: 0 })));
    expect(messageOf(refused)).toBe(
      'Too many calls of "get_weather" are queued. Try again in 60 s, or with fewer calls at once.',
    );
    expect(refused).toHaveProperty("failure.retryAfterMs", 60_000);
  });

  it("asks to try later when a limit has no rate", async () => {
    const refused = await runWithTestClock(overfull(limit({ concurrency: 1, queue: 0 })));
    expect(messageOf(refused)).toContain("Try again later,");
    expect(refused).not.toHaveProperty("failure.retryAfterMs");
  });
});
