import { context, ROOT_CONTEXT, type Tracer } from "@opentelemetry/api";
import * as Effect from "effect/Effect";
import { beforeEach, describe, expect, test } from "vitest";
import { createTestCall } from "../../../test/contracts/test-call.ts";
import { useTelemetry } from "../../../test/kit/telemetry.ts";
import { succeeded } from "../../types/outcome.ts";
import type { Handler } from "../../types/tool.ts";
import { otel } from "./otel.ts";

beforeEach(() => {
  useTelemetry();
});

describe("failing telemetry", () => {
  const boom = (): never => {
    throw new Error("exporter down");
  };
  const broken = new Proxy({}, { get: () => boom }) as never;
  const brokenSpan = { startSpan: () => broken } as unknown as Tracer;

  test.each([
    ["a tracer", otel({ tracer: broken })],
    ["a span", otel({ tracer: brokenSpan })],
    ["a meter", otel({ meter: broken })],
    [
      "an instrument",
      otel({ meter: { createHistogram: () => broken, createCounter: () => broken } as never }),
    ],
    ["a tracer and a meter", otel({ tracer: broken, meter: broken })],
  ])("does not change the result of a call: %s", async (_, layer) => {
    const next: Handler = () => Effect.as(Effect.yieldNow, succeeded("well"));
    expect(await Effect.runPromise(layer(next)(createTestCall()))).toEqual(succeeded("well"));
    const died = await Effect.runPromise(Effect.exit(layer(() => Effect.die("its own"))(createTestCall())));
    expect(died).toMatchObject({ cause: { reasons: [{ defect: "its own" }] } });
  });

  /** Registers a context manager with some of its methods replaced. */
  const manage = (methods: object): void => {
    const manager: Record<string, unknown> = {
      active: () => ROOT_CONTEXT,
      with: (_: unknown, work: () => unknown) => work(),
      bind: (_: unknown, target: unknown) => target,
      enable: () => manager,
      disable: () => manager,
      ...methods,
    };
    context.disable();
    context.setGlobalContextManager(manager as never);
  };

  test.each<[string, object]>([
    ["throws for the active context", { active: boom }],
    ["returns an invalid active context", { active: () => broken }],
    ["throws before it runs the call", { with: boom }],
    [
      "throws after it ran the call",
      {
        with: (_: unknown, work: () => unknown) => {
          work();
          boom();
        },
      },
    ],
  ])("neither fails nor repeats a call with a context manager that %s", async (_, methods) => {
    manage(methods);
    let started = 0;
    const next: Handler = () =>
      Effect.sync(() => {
        started++;
        return succeeded("well");
      });
    expect(await Effect.runPromise(otel()(next)(createTestCall()))).toEqual(succeeded("well"));
    expect(started).toBe(1);
  });
});
