import { metrics } from "@opentelemetry/api";
import type { MetricData } from "@opentelemetry/sdk-metrics";
import * as Effect from "effect/Effect";
import { TestClock } from "effect/testing";
import { beforeEach, expect, test } from "vitest";
import { addTestCost, createTestCall, createTestRegistration } from "../../../test/contracts/test-call.ts";
import { runWithTestClock } from "../../../test/contracts/test-layer-laws.ts";
import { type Telemetry, useTelemetry } from "../../../test/kit/telemetry.ts";
import { retry } from "../../pipeline/layers/retry.ts";
import type { AuthorizedCall } from "../../types/call.ts";
import { failed, type Outcome, succeeded } from "../../types/outcome.ts";
import type { Handler } from "../../types/tool.ts";
import { otel } from "./otel.ts";

let seen: Telemetry;
beforeEach(() => {
  seen = useTelemetry();
});

const ask = (outcome: Outcome, call: AuthorizedCall = createTestCall(), layer = otel()): Promise<Outcome> =>
  Effect.runPromise(layer(() => Effect.succeed(outcome))(call));

interface Point {
  readonly attributes: object;
  readonly value: unknown;
}

const points = async (name: string): Promise<readonly Point[]> =>
  (await seen.measured())
    .filter(({ descriptor }) => descriptor.name === name)
    .flatMap((metric: MetricData) => metric.dataPoints as unknown as readonly Point[]);

const modelCall = (id: string, settings: object = {}): AuthorizedCall =>
  createTestCall({
    tool: `model:${id}`,
    input: { messages: [{ role: "user", content: "c4nary" }], settings },
  });

const reply = { text: "c4nary", calls: [], usage: { inputTokens: 20, outputTokens: 7 }, finish: "stop" };

test("records time, calls and cost for each tool and outcome", async () => {
  const costly: Handler = (call) =>
    Effect.sync(() => {
      addTestCost(call, 0.25);
      return succeeded(1);
    });
  const layer = otel();
  await ask(succeeded(1), createTestCall({ tool: "a" }), layer);
  await ask(failed({ code: "timed_out", message: "late" }), createTestCall({ tool: "a" }), layer);
  await Effect.runPromise(layer(costly)(createTestCall({ tool: "b" })));
  await Effect.runPromise(layer(costly)(createTestCall({ tool: "b" })));
  expect(await points("haft.tool.calls")).toMatchObject([
    { attributes: { "gen_ai.tool.name": "a", "haft.outcome": "continue" }, value: 1 },
    {
      attributes: { "gen_ai.tool.name": "a", "haft.outcome": "failure", "error.type": "timed_out" },
      value: 1,
    },
    { attributes: { "gen_ai.tool.name": "b", "haft.outcome": "continue" }, value: 2 },
  ]);
  expect(await points("haft.tool.cost")).toMatchObject([
    { attributes: { "gen_ai.tool.name": "b" }, value: 0.5 },
  ]);
  expect((await points("gen_ai.client.operation.duration")).map(({ attributes }) => attributes)).toEqual([
    { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "a" },
    { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "a", "error.type": "timed_out" },
    { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "b" },
  ]);
});

test("records time in seconds with the recommended buckets", async () => {
  await runWithTestClock(
    Effect.gen(function* () {
      const slow: Handler = () => Effect.as(TestClock.adjust(1500), succeeded(1));
      yield* otel()(slow)(createTestCall());
    }),
  );
  const boundaries = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
  for (const name of ["gen_ai.client.operation.duration", "gen_ai.execute_tool.duration"]) {
    expect(await points(name)).toMatchObject([{ value: { count: 1, sum: 1.5, buckets: { boundaries } } }]);
  }
});

test("records a model call as a chat with its tokens and without its content", async () => {
  const call = modelCall("openai/ft:gpt/5", { temperature: 0.5, maxTokens: 100 });
  const cached = { ...reply, usage: { ...reply.usage, cachedTokens: 4 }, finish: "calls" };
  await ask(succeeded(cached), call, otel({ captureArguments: "redacted" }));
  expect(seen.span("chat ft:gpt/5").attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "ft:gpt/5",
    "gen_ai.request.temperature": 0.5,
    "gen_ai.request.max_tokens": 100,
    "gen_ai.usage.input_tokens": 20,
    "gen_ai.usage.output_tokens": 7,
    "gen_ai.usage.cache_read.input_tokens": 4,
    "gen_ai.response.finish_reasons": ["tool_calls"],
  });
  const series = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "ft:gpt/5",
  };
  expect(await points("gen_ai.client.token.usage")).toMatchObject([
    { attributes: { ...series, "gen_ai.token.type": "input" }, value: { sum: 20 } },
    { attributes: { ...series, "gen_ai.token.type": "output" }, value: { sum: 7 } },
  ]);
  expect(await points("haft.tool.calls")).toEqual([]);
  expect(await seen.exported()).not.toContain("c4nary");
});

test.each([
  ["gemini/flash", "gcp.gemini", "flash"],
  ["anthropic/opus", "anthropic", "opus"],
  ["offline", "offline", "offline"],
])("maps the model %s to the provider %s", async (id, provider, model) => {
  await ask(succeeded(reply), modelCall(id));
  expect(seen.span(`chat ${model}`).attributes).toMatchObject({
    "gen_ai.provider.name": provider,
    "gen_ai.request.model": model,
  });
});

test.each<[string, unknown]>([
  ["undefined", undefined],
  ["no usage", { text: "" }],
  ["invalid usage", { usage: { inputTokens: -1, outputTokens: "many" }, finish: "toString" }],
  [
    "a reply whose getter throws",
    {
      get usage(): never {
        throw new Error("c4nary");
      },
    },
  ],
])("records a span without tokens for a model that answers with %s", async (_, value) => {
  expect(await ask(succeeded(value), modelCall("openai/x"))).toEqual(succeeded(value));
  const { attributes } = seen.span("chat x");
  expect(attributes).not.toHaveProperty(["gen_ai.usage.input_tokens"]);
  expect(attributes).not.toHaveProperty(["gen_ai.response.finish_reasons"]);
  expect(await points("gen_ai.client.token.usage")).toEqual([]);
});

test.each<[string, number, number]>([
  ["outside of retry records one span for all attempts", 1, 1],
  ["inside of retry records one span for each attempt", 3, 2],
])("%s", async (title, spans, errors) => {
  const isOutside = title.startsWith("outside");
  const outcome = await runWithTestClock(
    Effect.gen(function* () {
      let attempts = 0;
      const next: Handler = () =>
        Effect.sync(() =>
          ++attempts < 3 ? failed({ code: "failed", message: "not yet" }) : succeeded("at last"),
        );
      const again = retry({ attempts: 3, base: 0 });
      const layered = isOutside ? otel()(again(next)) : again(otel()(next));
      const call = createTestCall({
        registration: createTestRegistration({ annotations: { readOnly: true } }),
      });
      return yield* layered(call);
    }),
  );
  expect(outcome).toEqual(succeeded("at last"));
  expect(seen.spans()).toHaveLength(spans);
  const failures = seen.spans().filter(({ attributes }) => attributes["error.type"] === "failed");
  expect(failures).toHaveLength(isOutside ? 0 : errors);
});

test("records from the time when a meter provider is registered", async () => {
  metrics.disable();
  const layer = otel();
  await ask(succeeded(1), createTestCall(), layer);
  seen = useTelemetry();
  await ask(succeeded(1), createTestCall(), layer);
  expect(await points("haft.tool.calls")).toMatchObject([{ value: 1 }]);
});
