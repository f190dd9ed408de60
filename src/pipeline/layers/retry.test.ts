import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Random from "effect/Random";
import { TestClock } from "effect/testing";
import { expect, test } from "vitest";
import { createTestCall, createTestRegistration, notesOfCall } from "../../../test/contracts/test-call.ts";
import { runWithTestClock, testLayerLaws } from "../../../test/contracts/test-layer-laws.ts";
import type { AuthorizedCall } from "../../types/call.ts";
import type { Failure } from "../../types/failure.ts";
import { failed, final, type Outcome, succeeded } from "../../types/outcome.ts";
import type { Handler, ToolLayer } from "../../types/tool.ts";
import { retry } from "./retry.ts";

testLayerLaws("retry", () => retry());

const readOnly = createTestRegistration({ annotations: { readOnly: true } });
const writing = createTestRegistration();

const broken: Failure = { code: "failed", message: "no", ran: true };

/** Fails with `failure` before attempt `well`, and records the time of each attempt. */
const flaky = (failure: Failure, well = Number.POSITIVE_INFINITY) => {
  const at: number[] = [];
  const next: Handler = () =>
    Effect.clockWith((clock) => {
      at.push(clock.currentTimeMillisUnsafe());
      return Effect.succeed(at.length >= well ? succeeded("well") : failed(failure));
    });
  return { at, next };
};

/** Advances the clock by an hour. `part` is the random part of each pause. */
const play = (layer: ToolLayer, next: Handler, call: AuthorizedCall, part = 0.5): Promise<Outcome> =>
  runWithTestClock(
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(layer(next)(call), { startImmediately: true });
      yield* TestClock.adjust("1 hour");
      return yield* Fiber.join(fiber);
    }).pipe(Effect.provideService(Random.Random, { nextDoubleUnsafe: () => part, nextIntUnsafe: () => 0 })),
  );

test("stops at the first success and notes the number of attempts", async () => {
  const call = createTestCall({ registration: readOnly });
  const { at, next } = flaky(broken, 2);
  expect(await play(retry({ attempts: 3 }), next, call)).toEqual(succeeded("well"));
  expect(at).toHaveLength(2);
  expect(notesOfCall(call)).toEqual(["retry: 2 attempts"]);
});

test("adds no note for a call that succeeds at once or may not be repeated", async () => {
  const [well, denied] = [
    createTestCall({ registration: readOnly }),
    createTestCall({ registration: readOnly }),
  ];
  await play(retry(), flaky(broken, 1).next, well);
  await play(retry(), flaky({ code: "denied", message: "no" }).next, denied);
  expect([notesOfCall(well), notesOfCall(denied)]).toEqual([[], []]);
});

test("returns the last failure when no attempt is left", async () => {
  const call = createTestCall({ registration: readOnly });
  const { at, next } = flaky(broken);
  expect(await play(retry({ attempts: 3 }), next, call)).toEqual(failed(broken));
  expect(at).toHaveLength(3);
  expect(notesOfCall(call)).toEqual(["retry: 3 attempts"]);
});

test("doubles pauses up to the cap, with jitter", async () => {
  const options = { attempts: 6, base: "100 millis", cap: "500 millis" } as const;
  const { at, next } = flaky(broken);
  await play(retry(options), next, createTestCall({ registration: readOnly }), 0.5);
  expect(at).toEqual([0, 50, 150, 350, 600, 850]);
});

test("waits at least as long as retryAfterMs", async () => {
  const { at, next } = flaky({ ...broken, retryAfterMs: 3_000 });
  await play(retry({ attempts: 2 }), next, createTestCall({ registration: readOnly }));
  expect(at).toEqual([0, 3_050]);
});

test("does not retry when retryAfterMs exceeds maxRetryAfter", async () => {
  const { at, next } = flaky({ ...broken, retryAfterMs: 3_000 });
  const answer = await play(
    retry({ maxRetryAfter: "2 seconds" }),
    next,
    createTestCall({ registration: readOnly }),
  );
  expect(at).toHaveLength(1);
  expect(answer).toHaveProperty("failure.retryAfterMs", 3_000);
});

test.each<{ title: string; failure: Failure; attempts: number }>([
  { title: "failed", failure: { code: "failed", message: "", ran: true }, attempts: 1 },
  { title: "timed out", failure: { code: "timed_out", message: "", ran: true }, attempts: 1 },
  { title: "does not report whether it ran", failure: { code: "mcp_unreachable", message: "" }, attempts: 1 },
  {
    title: "reports that it did not run",
    failure: { code: "mcp_unreachable", message: "", ran: false },
    attempts: 3,
  },
  { title: "was not admitted", failure: { code: "overloaded", message: "" }, attempts: 3 },
])("makes $attempts attempts when a tool that writes $title", async ({ failure, attempts }) => {
  const { at, next } = flaky(failure);
  await play(retry({ attempts: 3 }), next, createTestCall({ registration: writing }));
  expect(at).toHaveLength(attempts);
});

test("retries an idempotent tool that writes", async () => {
  const { at, next } = flaky(broken);
  await play(retry({ attempts: 3 }), next, createTestCall({ annotations: { idempotent: true } }));
  expect(at).toHaveLength(3);
});

test.each<Failure>([
  { code: "denied", message: "" },
  { code: "approval_denied", message: "" },
  { code: "invalid_input", message: "", retryable: true },
  { code: "cancelled", message: "", retryable: true },
  { code: "layer_broke", message: "", retryable: true },
  { code: "crashed", message: "", ran: true },
  { code: "failed", message: "", ran: true, retryable: false },
])("does not retry $code", async (failure) => {
  const { at, next } = flaky(failure);
  await play(retry(), next, createTestCall({ registration: readOnly }));
  expect(at).toHaveLength(1);
});

test("retries a failure of the run stage that is marked as retryable", async () => {
  const { at, next } = flaky({ code: "crashed", message: "", ran: true, retryable: true });
  await play(retry(), next, createTestCall({ registration: readOnly }));
  expect(at).toHaveLength(3);
});

test("stops at a final value", async () => {
  let attempt = 0;
  const next: Handler = () => Effect.sync(() => (attempt++ === 0 ? failed(broken) : final("done")));
  expect(await play(retry(), next, createTestCall({ registration: readOnly }))).toEqual(final("done"));
  expect(attempt).toBe(2);
});

test("limits the retries of all calls by the budget", async () => {
  const layer = retry({ attempts: 10, base: 0, budget: { capacity: 50, cost: 5 } });
  const { at, next } = flaky(broken);
  const call = createTestCall({ registration: readOnly });
  for (let i = 0; i < 100; i++) await play(layer, next, call);
  expect(at).toHaveLength(100 + 10);
  expect(notesOfCall(call)).toContain("retry: the budget is spent");
});

test("takes more of the budget for a timeout than for other failures", async () => {
  const budget = { capacity: 40, cost: 5, timeoutCost: 20 };
  for (const [code, retries] of [
    ["failed", 8],
    ["timed_out", 2],
  ] as const) {
    const { at, next } = flaky({ code, message: "", ran: true });
    await play(retry({ attempts: 100, base: 0, budget }), next, createTestCall({ registration: readOnly }));
    expect(at).toHaveLength(1 + retries);
  }
});

test("refills the budget after successful calls", async () => {
  const layer = retry({ attempts: 2, base: 0, budget: { capacity: 5, cost: 5, refill: 1 } });
  const call = createTestCall({ registration: readOnly });
  const failing = flaky(broken);
  await play(layer, failing.next, call);
  await play(layer, failing.next, call);
  expect(failing.at).toHaveLength(3);
  for (let i = 0; i < 5; i++) await play(layer, () => Effect.succeed(succeeded(1)), call);
  await play(layer, failing.next, call);
  expect(failing.at).toHaveLength(5);
});

test("makes no further attempt when the caller is interrupted in a pause", async () => {
  const { at, next } = flaky(broken);
  await runWithTestClock(
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(retry()(next)(createTestCall({ registration: readOnly })), {
        startImmediately: true,
      });
      yield* Fiber.interrupt(fiber);
      yield* TestClock.adjust("1 hour");
    }),
  );
  expect(at).toHaveLength(1);
});

test.each([{ attempts: 0 }, { attempts: 1.5 }, { base: "soon" }, { budget: { capacity: -1 } }])(
  "refuses options %o",
  (options) => {
    expect(() => retry(options as never)).toThrow(/retry/);
  },
);
