import * as Effect from "effect/Effect";
import * as Tracer from "effect/Tracer";
import { expect, test } from "vitest";
import { createTestCall } from "../../../test/contracts/test-call.ts";
import { testLayerLaws } from "../../../test/contracts/test-layer-laws.ts";
import { failed, final, type Outcome, succeeded } from "../../types/outcome.ts";
import type { Handler } from "../../types/tool.ts";
import { trace } from "./trace.ts";

testLayerLaws("trace", () => trace());

/** Runs one call and returns every span. */
const spansOf = async (next: Handler): Promise<readonly Tracer.NativeSpan[]> => {
  const spans: Tracer.NativeSpan[] = [];
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options);
      spans.push(span);
      return span;
    },
  });
  const call = createTestCall({ id: "call-1", input: { secret: "s3cret" } });
  await Effect.runPromise(Effect.exit(Effect.provideService(trace()(next)(call), Tracer.Tracer, tracer)));
  return spans;
};

test.each<[string, Outcome, object]>([
  ["a value", succeeded("s3cret"), { "haft.outcome": "continue" }],
  ["a final value", final(1), { "haft.outcome": "final" }],
  [
    "a failure",
    failed({ code: "timed_out", message: "s3cret" }),
    { "haft.outcome": "failure", "error.type": "timed_out" },
  ],
])(
  "creates a span named after the tool, without arguments or results, for %s",
  async (_title, outcome, ending) => {
    const spans = await spansOf(() => Effect.succeed(outcome));
    expect(spans.map((span) => span.name)).toEqual(["execute_tool get_weather"]);
    expect(Object.fromEntries(spans[0]!.attributes)).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "get_weather",
      "gen_ai.tool.call.id": "call-1",
      ...ending,
    });
    expect(spans[0]!.status._tag).toBe("Ended");
  },
);

test("is the parent of spans that the tool creates", async () => {
  const spans = await spansOf(() => Effect.withSpan(Effect.succeed(succeeded(1)), "inner"));
  expect(spans.map((span) => span.name)).toEqual(["execute_tool get_weather", "inner"]);
  expect(spans[1]!.parent).toMatchObject({ value: { spanId: spans[0]!.spanId } });
});

test("ends the span when the call dies", async () => {
  const spans = await spansOf(() => Effect.die("broken"));
  expect(spans[0]!.status).toMatchObject({ _tag: "Ended", exit: { _tag: "Failure" } });
});

test("creates no span without a tracer", async () => {
  const next: Handler = () => Effect.map(Effect.option(Effect.currentSpan), (span) => succeeded(span._tag));
  expect(await Effect.runPromise(trace()(next)(createTestCall()))).toEqual(succeeded("None"));
});
