import * as Cause from "effect/Cause";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Scheduler from "effect/Scheduler";
import { TestClock } from "effect/testing";
import { describe, expect, test } from "vitest";
import type { AuthorizedCall } from "../../src/types/call.ts";
import {
  failed,
  final,
  handoff,
  type Outcome,
  pending,
  rewrite,
  succeeded,
} from "../../src/types/outcome.ts";
import type { Handler, ToolLayer } from "../../src/types/tool.ts";
import { createTestCall, createTestRegistration } from "./test-call.ts";

/** Runs with a clock that moves only when the test moves it. */
export const runWithTestClock = <A>(effect: Effect.Effect<A>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, TestClock.layer()) as Effect.Effect<A>);

/** Read-only, so that layers for read-only tools are active. */
const createReadOnlyCall = (input: unknown = { city: "Oslo" }): AuthorizedCall =>
  createTestCall({ input, annotations: { readOnly: true } });

const scopes: readonly [string, (layer: ToolLayer) => (next: Handler) => Handler][] = [
  ["once", (layer) => (next) => layer(next)],
  ["at two scopes at once", (layer) => (next) => layer(layer(next))],
];

const outcomes: readonly [string, () => Outcome][] = [
  ["a value", () => succeeded({ celsius: 21 })],
  ["a rewritten value", () => rewrite("mild", { celsius: 21 })],
  ["a final value", () => final({ done: true })],
  ["a handoff", () => handoff("writer")],
  [
    "a pending approval",
    () =>
      pending({
        id: "a",
        callId: "c",
        tool: "get_weather",
        principal: { agent: "tester" },
        input: {},
        reason: "r",
      }),
  ],
  ["a denial", () => failed({ code: "denied", message: "no" })],
  [
    "an invalid input",
    () =>
      failed({ code: "invalid_input", message: "no", issues: [{ pointer: "/city", message: "is missing" }] }),
  ],
  [
    "a failure that is not retryable",
    () => failed({ code: "failed", message: "no", retryable: false, ran: true }),
  ],
  ["a crash", () => failed({ code: "crashed", message: "broke", ran: true })],
];

/** Laws that every layer keeps. `make` creates a new layer that accepts every call. */
export const testLayerLaws = (name: string, make: () => ToolLayer): void => {
  describe.each(scopes)(`${name} keeps the layer laws %s`, (_, place) => {
    test.each(outcomes)("%s passes through unchanged", async (_title, makeOutcome) => {
      const outcome = makeOutcome();
      const answer = await runWithTestClock(
        place(make())(() => Effect.succeed(outcome))(createReadOnlyCall()),
      );
      expect(answer).toEqual(outcome);
    });

    test("a slow answer passes through", async () => {
      const outcome = succeeded(1);
      const slow: Handler = () => Effect.as(Effect.yieldNow, outcome);
      expect(await runWithTestClock(place(make())(slow)(createReadOnlyCall()))).toBe(outcome);
    });

    test("the call is passed on unchanged", async () => {
      const asked = createReadOnlyCall();
      const before = { ...asked };
      const seen: AuthorizedCall[] = [];
      const next: Handler = (each) => {
        seen.push(each);
        return Effect.succeed(succeeded(1));
      };
      await runWithTestClock(place(make())(next)(asked));
      expect(seen).toEqual([asked]);
      expect(seen[0]).toBe(asked);
      expect(asked).toEqual(before);
    });

    test.each<[string, Handler]>([
      ["immediately", () => Effect.die("broken")],
      ["later", () => Effect.andThen(Effect.yieldNow, Effect.die("broken"))],
      [
        "before there is an effect",
        () => {
          throw "broken";
        },
      ],
    ])("a defect that occurs %s stays a defect", async (_title, broken) => {
      const layered = place(make())(broken);
      const exit = await runWithTestClock(Effect.exit(Effect.suspend(() => layered(createReadOnlyCall()))));
      const reasons = Exit.isFailure(exit) ? exit.cause.reasons.filter(Cause.isDieReason) : [];
      expect(reasons.map((reason) => reason.defect)).toEqual(["broken"]);
    });

    test("interrupting the caller interrupts the handler and ends immediately", async () => {
      let interrupted = 0;
      const next: Handler = () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++));
      const layered = place(make())(next);
      const exit = await runWithTestClock(
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(layered(createReadOnlyCall()), { startImmediately: true });
          fiber.interruptUnsafe();
          return fiber.pollUnsafe();
        }),
      );
      expect(exit !== undefined && Exit.hasInterrupts(exit)).toBe(true);
      expect(interrupted).toBe(1);
    });

    test("a call after an interrupted call and a failed call is answered", async () => {
      const layer = make();
      const registration = createTestRegistration({ annotations: { readOnly: true } });
      const ask = (next: Handler) => place(layer)(next)(createTestCall({ registration }));
      const answer = await runWithTestClock(
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(
            ask(() => Effect.never),
            { startImmediately: true },
          );
          yield* Fiber.interrupt(fiber);
          yield* Effect.exit(ask(() => Effect.die("broken")));
          return yield* ask(() => Effect.succeed(succeeded("well")));
        }),
      );
      expect(answer).toEqual(succeeded("well"));
    });

    test.each([3, 4])(
      "a caller that yields every %d operations can be interrupted anywhere, and no work continues",
      async (operations) => {
        const layer = make();
        const registration = createTestRegistration({ annotations: { readOnly: true } });
        const seen = { started: 0, stopped: 0 };
        const next: Handler = () =>
          Effect.callback(() => {
            seen.started++;
            return Effect.sync(() => {
              seen.stopped++;
            });
          });
        const interruptions = 30;
        const answer = await runWithTestClock(
          Effect.gen(function* () {
            const halting = Effect.provideService(Scheduler.MaxOpsBeforeYield, operations);
            for (let steps = 0; steps < interruptions; steps++) {
              const asked = halting(place(layer)(next)(createTestCall({ registration })));
              const fiber = yield* Effect.forkChild(asked, { startImmediately: true });
              for (let i = 0; i < steps; i++) yield* Effect.yieldNow;
              yield* Fiber.interrupt(fiber);
            }
            return yield* place(layer)(() => Effect.succeed(succeeded("well")))(
              createTestCall({ registration }),
            );
          }),
        );
        expect(seen.started).toBeGreaterThan(0);
        expect(seen.stopped).toBe(seen.started);
        expect(answer).toEqual(succeeded("well"));
      },
    );

    test("100 parallel calls get their own answers, once each", async () => {
      const registration = createTestRegistration({ annotations: { readOnly: true } });
      let started = 0;
      const answers = await runWithTestClock(
        Effect.gen(function* () {
          const go = yield* Deferred.make<void>();
          const next: Handler = (each) => {
            started++;
            return Effect.as(Deferred.await(go), succeeded(each.input));
          };
          const layered = place(make())(next);
          const fibers = yield* Effect.forEach(Array.from({ length: 100 }).keys(), (number) =>
            Effect.forkChild(layered(createTestCall({ registration, input: { number } })), {
              startImmediately: true,
            }),
          );
          yield* Deferred.succeed(go, undefined);
          return yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber));
        }),
      );
      expect(started).toBe(100);
      expect(answers).toEqual(Array.from({ length: 100 }, (_each, number) => succeeded({ number })));
    });
  });
};
