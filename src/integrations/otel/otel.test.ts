import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { beforeEach, describe, expect, test } from "vitest";
import {
  addTestCost,
  createTestCall,
  createTestRegistration,
  createTestScope,
} from "../../../test/contracts/test-call.ts";
import { runWithTestClock, testLayerLaws } from "../../../test/contracts/test-layer-laws.ts";
import {
  inUserSpan,
  parentSpanIdOf,
  spanIdOf,
  type Telemetry,
  useTelemetry,
} from "../../../test/kit/telemetry.ts";
import { Credentials } from "../../base/credentials/credentials.ts";
import type { AuthorizedCall } from "../../types/call.ts";
import type { FailureCode } from "../../types/failures.ts";
import { failed, final, handoff, type Outcome, rewrite, succeeded } from "../../types/outcome.ts";
import type { Handler } from "../../types/tool.ts";
import { otel } from "./otel.ts";

testLayerLaws("otel", () => otel());

let seen: Telemetry;
beforeEach(() => {
  seen = useTelemetry();
});

const run = (next: Handler, call: AuthorizedCall = createTestCall(), layer = otel()): Promise<unknown> =>
  Effect.runPromise(Effect.exit(layer(next)(call)));

/** Creates a span in the active context, like the code of a tool. */
const inner = (name: string): void => trace.getTracer("user").startSpan(name).end();

describe("span of a tool", () => {
  test("has the tool, the agent, the run and the outcome of the call", async () => {
    const call = createTestCall({ id: "call-9", scope: createTestScope("run-7", "shop") });
    await run(() => Effect.succeed(succeeded(1)), call);
    const span = seen.span("execute_tool get_weather");
    expect(span.kind).toBe(SpanKind.INTERNAL);
    expect(span.status.code).toBe(SpanStatusCode.UNSET);
    expect(span.attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "get_weather",
      "gen_ai.tool.call.id": "call-9",
      "gen_ai.tool.type": "function",
      "gen_ai.tool.description": "A tool of the tests",
      "gen_ai.agent.name": "shop",
      "gen_ai.conversation.id": "one",
      "haft.entry.id": "entry-call-9",
      "haft.run.id": "run-7",
      "haft.risk": "low",
      "haft.outcome": "continue",
    });
  });

  test("masks known secrets in ids", async () => {
    const call = createTestCall({ id: "call-sk-secret-12345" });
    const credentials = { known: () => ["sk-secret-12345"] } as never;
    const layer = otel();
    const work = layer(() => Effect.succeed(succeeded(1)))(call);
    await Effect.runPromise(Effect.provideService(work, Credentials, credentials));
    const masked = seen.span("execute_tool get_weather").attributes["gen_ai.tool.call.id"];
    expect(masked).toBe("call-[redacted]");
    layer.observer?.concluded(
      { request: createTestCall({ id: "other-sk-secret-12345" }).request, principal: undefined },
      failed({ code: "not_bound", message: "" }),
      1,
      (text) => text.replace("sk-secret-12345", "[redacted]"),
    );
    expect(seen.span("execute_tool").attributes["gen_ai.tool.call.id"]).toBe("other-[redacted]");
  });

  test.each<[string, Outcome]>([
    ["continue", succeeded(1)],
    ["rewrite", rewrite(1, 2)],
    ["final", final(1)],
    ["handoff", handoff("writer")],
  ])("is not an error for a call with flow %s", async (flow, outcome) => {
    await run(() => Effect.succeed(outcome));
    const span = seen.span("execute_tool get_weather");
    expect(span.attributes["haft.outcome"]).toBe(flow);
    expect(span.status.code).toBe(SpanStatusCode.UNSET);
  });

  test.each<FailureCode>(["failed", "timed_out", "crashed", "denied", "overloaded", "invalid_input"])(
    "has the code %s and no text of the message",
    async (code) => {
      await run(() => Effect.succeed(failed({ code, message: "c4nary", detail: "c4nary" })));
      const span = seen.span("execute_tool get_weather");
      expect(span.status).toEqual({ code: SpanStatusCode.ERROR, message: code });
      expect(span.attributes).toMatchObject({ "haft.outcome": "failure", "error.type": code });
      expect(await seen.exported()).not.toContain("c4nary");
    },
  );

  test.each<[string, string, Handler]>([
    ["a defect", "layer_broke", () => Effect.die("c4nary")],
    ["an invalid outcome", "layer_broke", () => Effect.succeed(undefined as never)],
    ["an interruption", "cancelled", () => Effect.interrupt],
  ])("ends with %s", async (_title, code, next) => {
    await run(next);
    const span = seen.span("execute_tool get_weather");
    expect(span.attributes["error.type"]).toBe(code);
    expect(await seen.exported()).not.toContain("c4nary");
  });

  test("ends after the cleanup of an interrupted call", async () => {
    await runWithTestClock(
      Effect.gen(function* () {
        const working = Effect.onInterrupt(Effect.never, () => Effect.sync(() => inner("cleaning")));
        const fiber = yield* Effect.forkChild(otel()(() => working)(createTestCall()), {
          startImmediately: true,
        });
        expect(seen.spans()).toEqual([]);
        yield* Fiber.interrupt(fiber);
      }),
    );
    expect(seen.spans().map(({ name }) => name)).toEqual(["cleaning", "execute_tool get_weather"]);
    expect(seen.span("execute_tool get_weather").attributes["error.type"]).toBe("cancelled");
  });

  test("has the cost of its own attempt", async () => {
    const call = createTestCall();
    const spending: Handler = (spent) =>
      Effect.sync(() => {
        addTestCost(spent, 2);
        return succeeded(1);
      });
    await run(spending, call);
    await run(spending, call);
    await run(() => Effect.succeed(succeeded(1)), call);
    expect(seen.spans().map(({ attributes }) => attributes["haft.cost"])).toEqual([2, 2, undefined]);
  });

  test("has truncated ids", async () => {
    await run(() => Effect.succeed(succeeded(1)), createTestCall({ id: "x".repeat(100_000) }));
    expect(seen.span("execute_tool get_weather").attributes["gen_ai.tool.call.id"]).toHaveLength(257);
  });

  test.each([
    ["http", "extension"],
    ["mcp", "extension"],
    ["plugin", "function"],
  ])("has for a tool from %s the type %s", async (source, type) => {
    const registration = createTestRegistration();
    const spec = { ...registration.tool.spec, source };
    await run(() => Effect.succeed(succeeded(1)), { ...createTestCall({ registration }), spec });
    expect(seen.span("execute_tool get_weather").attributes["gen_ai.tool.type"]).toBe(type);
  });
});

describe("arguments", () => {
  const call = () =>
    createTestCall({ input: { city: "Oslo", password: "c4nary-by-name", note: "c4nary-by-value" } });
  const known = Context.make(Credentials, { known: () => ["c4nary-by-value"] } as never);

  const capture = (layer = otel({ captureArguments: "redacted" })) =>
    Effect.runPromise(Effect.provideContext(layer(() => Effect.succeed(succeeded("c4nary")))(call()), known));

  test("are not recorded by default", async () => {
    await capture(otel());
    expect(await seen.exported()).not.toMatch(/Oslo|c4nary/);
  });

  test("are masked by name and by known secrets when they are recorded", async () => {
    await capture();
    const text = seen.span("execute_tool get_weather").attributes["gen_ai.tool.call.arguments"];
    expect(JSON.parse(String(text))).toMatchObject({ city: "Oslo" });
    expect(await seen.exported()).not.toContain("c4nary");
  });

  test.each([true, "all", 1])("are refused for captureArguments: %j", (captureArguments) => {
    expect(() => otel({ captureArguments } as never)).toThrow(/false or "redacted"/);
  });

  test("are refused with an unknown option by name", () => {
    expect(() => otel({ captureResults: true } as never)).toThrow(/captureResults/);
  });
});

describe("parent spans", () => {
  const chain = (...names: readonly string[]): void => {
    const spans: readonly ReadableSpan[] = names.map((name) => seen.span(name));
    for (const [index, span] of spans.entries()) {
      expect(parentSpanIdOf(span)).toBe(index === 0 ? undefined : spanIdOf(spans[index - 1]!));
      expect(span.spanContext().traceId).toBe(spans[0]!.spanContext().traceId);
    }
  };

  const rung = Effect.callback<void>((resume) => {
    setImmediate(() => resume(Effect.void));
  });

  test.each<[string, () => Effect.Effect<unknown>]>([
    ["at once", () => Effect.sync(() => inner("inside"))],
    [
      "after a timer",
      () =>
        Effect.andThen(
          rung,
          Effect.sync(() => inner("inside")),
        ),
    ],
    [
      "after a yield",
      () =>
        Effect.andThen(
          Effect.yieldNow,
          Effect.sync(() => inner("inside")),
        ),
    ],
    [
      "in a promise",
      () =>
        Effect.promise(async () => {
          await new Promise((resolve) => setImmediate(resolve));
          inner("inside");
        }),
    ],
    [
      "in a fiber of its own",
      () => Effect.flatMap(Effect.forkChild(Effect.sync(() => inner("inside"))), Fiber.join),
    ],
  ])("include the call and the user for a span that the tool creates %s", async (_, work) => {
    const next: Handler = () => Effect.as(work(), succeeded(1));
    await inUserSpan("user", () => run(next));
    chain("user", "execute_tool get_weather", "inside");
  });

  test("do not change when another call resumes a fiber", async () => {
    const woken: (() => void)[] = [];
    const waiting: Handler = () =>
      Effect.map(
        Effect.callback<void>((resume) => {
          woken.push(() => resume(Effect.void));
        }),
        () => {
          inner("woken");
          return succeeded(1);
        },
      );
    const first = inUserSpan("user", () => run(waiting));
    await inUserSpan("other", () =>
      run(() => Effect.as(Effect.sync(woken[0]!), succeeded(1)), createTestCall({ tool: "waker" })),
    );
    await first;
    chain("user", "execute_tool get_weather", "woken");
    chain("other", "execute_tool waker");
  });

  test("include the user after the call", async () => {
    await inUserSpan("user", async () => {
      await run(() => Effect.as(Effect.yieldNow, succeeded(1)));
      inner("after");
    });
    chain("user", "after");
  });

  test("are known to Effect's own tracer", async () => {
    let parent: string | undefined;
    const next: Handler = () =>
      Effect.map(Effect.orDie(Effect.currentParentSpan), (span) => {
        parent = span.spanId;
        return succeeded(1);
      });
    await run(next);
    expect(parent).toBe(spanIdOf(seen.span("execute_tool get_weather")));
  });
});
